-- Answers lists of id, name, last beat and how many leases it has.
local ids = redis.call('HKEYS', keys.worker_names)
table.sort(ids)
local found = {}
for _, id in ipairs(ids) do
    found[#found + 1] = {
        tonumber(id), redis.call('HGET', keys.worker_names, id), tonumber(redis.call('ZSCORE', keys.workers, id) or redis.call('ZSCORE', keys.dead_workers, id) or 0),
        redis.call('SCARD', keys.held_by(id)),
    }
end
return answer(found)
