-- Removes ended jobs that are too old, some at a time. Asked: the latest end of completed, failed and private jobs, and of
-- groups and private groups. Answers how many jobs it removed, and a group that is too old (0 for none).
local removed = 0
local function remove_until(key, latest)
    local ids = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', latest), 'LIMIT', 0, 300)
    jobs.fetch(ids)
    for _, text in ipairs(ids) do
        local id = tonumber(text)
        local job = jobs.get(id)
        if job then remove_job(id, job) else later('ZREM', key, text) end
        removed = removed + 1
    end
end
remove_until(keys.ended_completed, input[1])
remove_until(keys.ended_failed, input[2])
remove_until(keys.ended_zero, input[3])
-- Workers that died are shown for a day.
for _, worker in ipairs(redis.call('ZRANGEBYSCORE', keys.dead_workers, '-inf', string.format('%.0f', now - 86400000), 'LIMIT', 0, 100)) do
    forget_worker(worker)
end
local function old_group(key, latest)
    return redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', latest), 'LIMIT', 0, 1)[1]
end
local group = old_group(keys.ended_private, input[5]) or old_group(keys.expiring, now) or
    old_group(keys.ended_groups, input[4]) or 0
return answer({removed, tonumber(group)})
