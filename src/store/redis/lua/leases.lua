-- Who works on what. A lease has no clock of its own: it lives as long as its worker is heard of. Whoever asks for work
-- next finds what the dead left.
local why_ended = {timed_out = 'Worker timed out', put_off = 'put off too many times in a row'}

-- Nothing if it goes back to its line; else why it has gone back too often.
local function count_return(row, stalled)
    if stalled then
        row.stalls = row.stalls + 1
        return row.stalls > limits.max_stalls and why_ended.timed_out or nil
    end
    row.snoozes = row.snoozes + 1
    return row.snoozes > limits.max_snoozes and why_ended.put_off or nil
end

local function is_url(lease) return lease.host ~= 0 end

local function add_lease(id, lease)
    leases.put(id, lease)
    later('SADD', keys.held_by(lease.worker), id)
    if lease.group ~= 0 then later('SADD', keys.group_leases(lease.group), id) end
    local owner = owner_of(lease.owner)
    if is_url(lease) then
        owner.running_urls = owner.running_urls + 1
    else
        owner.running_jobs = owner.running_jobs + 1
    end
    owners.touch(lease.owner)
end

local function remove_lease(id, lease)
    leases.remove(id)
    later('SREM', keys.held_by(lease.worker), id)
    if lease.group ~= 0 then later('SREM', keys.group_leases(lease.group), id) end
    local owner = owner_of(lease.owner)
    if is_url(lease) then
        owner.running_urls = owner.running_urls - 1
        release_host(lease.host)
        wakes = 1
    else
        owner.running_jobs = owner.running_jobs - 1
        owners_with_room[lease.owner] = true
    end
    owners.touch(lease.owner)
end

local function take_back_job(id, lease, stalled)
    local job = jobs.get(id)
    if not job then return end
    local why = count_return(job, stalled)
    if stalled then job.error = why_ended.timed_out end
    jobs.touch(id)
    if why then
        end_job(id, job, RUNNING, FAILED, {started = lease.at, error = why})
        return
    end
    -- One that never began waits again, and may again wait for too long.
    if not stalled and job.start_by > 0 then later('ZADD', keys.starts, job.start_by, id) end
    count_job(job, RUNNING, -1)
    count_job(job, job.state, 1)
    put_in_line(id, job)
end

local function take_back_url(id, stalled)
    local url = urls.get(id)
    local group = url and open_group(url.group)
    if not group then return end
    local why = count_return(url, stalled)
    if stalled then url.note = why_ended.timed_out end
    urls.touch(id)
    if why then
        end_url(id, url, URL.RUNNING, URL.FAILED, {note = why})
        return
    end
    group.running = group.running - 1
    group.queued = group.queued + 1
    put_url_in_line(id, url)
end

-- Ends a lease whose job or URL goes back to its line.
local function take_back(id, lease, worker_died)
    local stalled = worker_died and lease.begun == 1
    remove_lease(id, lease)
    if is_url(lease) then
        take_back_url(id, stalled)
    else
        take_back_job(id, lease, stalled)
    end
end

-- Ends a lease because its job or URL is ended by somebody else. Its worker learns of it at its next beat.
local function revoke(id, lease)
    redis.call('SADD', keys.lost(lease.worker), id)
    remove_lease(id, lease)
end

-- What a worker held, in steps. True if nothing is left.
local function take_from(worker, is_told)
    local key = keys.held_by(worker)
    sync(key)
    local held = redis.call('SRANDMEMBER', key, 500)
    table.sort(held)
    leases.fetch(held)
    for _, text in ipairs(held) do
        local id = tonumber(text)
        local lease = leases.get(id)
        if lease then
            take_back(id, lease, true)
            if is_told then redis.call('SADD', keys.lost(worker), id) end
        else
            later('SREM', key, id)
        end
    end
    if is_told and #held > 0 then
        tell(EVENT.WORKER_DIED, 0, 0, 0, redis.call('HGET', keys.worker_names, worker), #held)
    end
    return #held < 500
end

local function bury_dead_workers()
    local silent_since = string.format('(%.0f', now - limits.lease_duration)
    local silent = redis.call('ZRANGEBYSCORE', keys.workers, '-inf', silent_since, 'WITHSCORES', 'LIMIT', 0, 10)
    for index = 1, #silent, 2 do
        if take_from(silent[index], true) then
            redis.call('ZREM', keys.workers, silent[index])
            redis.call('ZADD', keys.dead_workers, silent[index + 1], silent[index])
        end
    end
end
-- Whoever asks is alive. False if nobody knows it.
local function hear_of(worker)
    if redis.call('HEXISTS', keys.worker_names, worker) == 0 then return false end
    redis.call('ZADD', keys.workers, now, worker)
    redis.call('ZREM', keys.dead_workers, worker)
    return true
end

-- Handlers that have begun: pairs of id and token.
local function note_begun(begun)
    for index = 1, #begun, 2 do
        local lease = leases.get(begun[index])
        if lease and lease.token == begun[index + 1] and lease.begun == 0 then
            lease.begun = 1
            leases.touch(begun[index])
        end
    end
end

local function forget_worker(worker)
    redis.call('ZREM', keys.workers, worker)
    redis.call('ZREM', keys.dead_workers, worker)
    redis.call('HDEL', keys.worker_names, worker)
    redis.call('DEL', keys.lost(worker), keys.last_lease(worker))
end
