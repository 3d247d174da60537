-- Keeps or removes a schedule. Asked: what, name, and for `set` its JSON and time. Answers 1 if there was one to remove.
local what, name = input[1], input[2]
if what == 'set' then
    redis.call('HSET', keys.schedules, name, input[3])
    redis.call('ZADD', keys.schedule_times, input[4], name)
    wakes = 1
    return answer(1)
end
redis.call('ZREM', keys.schedule_times, name)
return answer(redis.call('HDEL', keys.schedules, name))
