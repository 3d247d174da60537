-- `schedule`: its name, the time it was due and its next time; or nothing. Of many who notice that it is due, one moves it
-- on, in the script that adds its job.
local function is_its_time(schedule)
    if not schedule then return true end
    local due = tonumber(redis.call('ZSCORE', keys.schedule_times, schedule[1]) or 0)
    if due ~= schedule[2] then return false end
    redis.call('ZADD', keys.schedule_times, schedule[3], schedule[1])
    return true
end
