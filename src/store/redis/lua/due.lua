-- What time itself brings about. Done by whoever asks for work, so that nothing needs a sweeper to be right.
local most_due = 500

local function take_due(key)
    sync(key)
    local due = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', now), 'LIMIT', 0, most_due)
    if #due > 0 then redis.call('ZREM', key, unpack(due)) end
    return due
end

local function format_duration(milliseconds)
    if milliseconds % 3600000 == 0 then return string.format('%.0fh', milliseconds / 3600000) end
    if milliseconds % 60000 == 0 then return string.format('%.0fm', milliseconds / 60000) end
    if milliseconds % 1000 == 0 then return string.format('%.0fs', milliseconds / 1000) end
    return string.format('%.0fms', milliseconds)
end

-- The time-out of the backlog: of jobs that have not even begun.
local function fail_late_starters()
    for _, text in ipairs(take_due(keys.starts)) do
        local id = tonumber(text)
        local job = jobs.get(id)
        if job and job.finished == 0 and job.attempts == 0 and job.stalls == 0 and not leases.get(id) then
            take_out_of_line(id, job)
            local patience = format_duration(job.start_by - job.created)
            end_job(id, job, job.state, FAILED, {error = 'waited longer than ' .. patience .. ' for its turn'})
        end
    end
end

local function fail_overdue()
    for _, text in ipairs(take_due(keys.deadlines)) do
        local id = tonumber(text)
        local job, lease = jobs.get(id), leases.get(id)
        if job and job.finished == 0 then
            if lease then revoke(id, lease) else take_out_of_line(id, job) end
            end_job(id, job, lease and RUNNING or job.state, FAILED,
                    {error = 'not done by its deadline', started = lease and lease.at or 0})
        end
    end
end

local function wake_delayed()
    for _, text in ipairs(take_due(keys.delayed)) do
        local id = tonumber(text:sub(2))
        if text:sub(1, 1) == 'j' then
            local job = jobs.get(id)
            if job and job.finished == 0 and not leases.get(id) then put_in_line(id, job) end
        else
            local url = urls.get(id)
            -- Also of a group that is over: it may be opened again.
            if url and url.state == URL.QUEUED and url.run_at > 0 and not leases.get(id) then
                url.run_at = 0
                urls.touch(id)
                put_url_in_line(id, url)
            end
        end
    end
end

-- Groups that are over and have open jobs still, or that run and have jobs that were not put in line yet.
local function go_on_with_unfinished(end_jobs_of)
    for _, text in ipairs(redis.call('SRANDMEMBER', keys.unfinished, 3)) do
        local id = tonumber(text)
        local group = groups.get(id)
        if not group then
            redis.call('SREM', keys.unfinished, text)
        elseif is_over(group) then
            end_jobs_of(id)
        elseif group.state == RUNNING then
            release_held(id)
        end
    end
end

local function end_jobs_of(id)
    local key = keys.group_leases(id)
    sync(key)
    local held = redis.call('SRANDMEMBER', key, 500)
    leases.fetch(held)
    for _, text in ipairs(held) do
        local lease_id = tonumber(text)
        local lease = leases.get(lease_id)
        if lease then
            revoke(lease_id, lease)
            local url = is_url(lease) and urls.get(lease_id)
            -- Its row waits again, as those that never had their turn.
            if url then put_url_in_line(lease_id, url) end
            local job = not is_url(lease) and jobs.get(lease_id)
            if job then end_job(lease_id, job, RUNNING, CANCELLED, {started = lease.at}) end
        end
    end
    local ended, after = 0, '-inf'
    sync(keys.group_jobs(id))
    for _, text in ipairs(redis.call('ZRANGE', keys.group_jobs(id), 0, -1)) do
        local job_id = tonumber(text)
        local job = jobs.get(job_id)
        if job and job.finished == 0 and not leases.get(job_id) then
            take_out_of_line(job_id, job)
            end_job(job_id, job, job.state, CANCELLED, {})
            ended = ended + 1
            if ended == 500 then break end
        end
    end
    local is_done = #held < 500 and ended < 500
    later(is_done and 'SREM' or 'SADD', keys.unfinished, id)
    return is_done
end

local function do_what_is_due()
    bury_dead_workers()
    fail_late_starters()
    fail_overdue()
    wake_delayed()
    go_on_with_unfinished(end_jobs_of)
    settle()
    sync_all()
end

local function first_of(key)
    sync(key)
    local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
    return first[2] and tonumber(first[2])
end
-- When something becomes due by itself; 0 for never.
local function next_due(more)
    local due = more or 0
    for _, key in ipairs({keys.delayed, keys.starts, keys.deadlines, keys.schedule_times}) do
        local first = first_of(key)
        if first and first < 9e15 and (due == 0 or first < due) then due = first end
    end
    return due
end
