-- Answers triples of name, JSON and time, by name.
local names = redis.call('HKEYS', keys.schedules)
table.sort(names)
local found = {}
for _, name in ipairs(names) do
    found[#found + 1] = {name, redis.call('HGET', keys.schedules, name), tonumber(redis.call('ZSCORE', keys.schedule_times, name) or 0)}
end
return answer(found)
