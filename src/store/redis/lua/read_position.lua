-- A waiting group's place among those of its owner; 0 if it does not wait.
local group = groups.get(input)
if not group or group.state ~= QUEUED then return answer(0) end
local rank = redis.call('ZRANK', keys.waiting(group.owner), input)
return answer(rank and rank + 1 or 0)
