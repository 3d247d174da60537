-- Keeps a worker's leases. Asked: the worker, what has begun, progress as lists of id, token, percent. Answers what it
-- has lost.
local worker = input[1]
note_begun(input[2])
bury_dead_workers()
if not hear_of(worker) then return refuse(NOT_FOUND, 'unknown worker') end
local lost = {}
for _, id in ipairs(redis.call('SMEMBERS', keys.lost(worker))) do lost[#lost + 1] = tonumber(id) end
redis.call('DEL', keys.lost(worker))
for _, entry in ipairs(input[3]) do
    local lease = leases.get(entry[1])
    if not lease or lease.token ~= entry[2] then
        lost[#lost + 1] = entry[1]
    elseif not is_url(lease) then
        local job = jobs.get(entry[1])
        if job then
            job.progress = entry[3]
            jobs.touch(entry[1])
        end
    end
end
settle()
return answer(lost)
