-- Jobs that wait their turn, and how they end.
--
-- Within a priority, each owner's group is a lane of its own: a job's turn is that of the last job of its lane plus one,
-- but not less than the turn of what is being claimed now (start-time fair queueing). So a claim is a walk from the
-- front of a sorted set, and lanes alternate however much one of them has queued.
local turns_per_priority = 1099511627776

local function lane_of(job)
    local group = open_group(job.group)
    if group then
        groups.touch(job.group)
        return group
    end
    owners.touch(job.owner)
    return owner_of(job.owner)
end
local function take_turn(job)
    local lane = lane_of(job)
    job.turn = math.max(meta('turn'), lane.turn)
    lane.turn = job.turn + 1
end
local function score_of(job) return (job.priority + 1) * turns_per_priority + job.turn end

local function has_room(owner) return owner.running_jobs < limit_of(owner, 'running_jobs_limit') end

-- Where it waits: for its time, for its group, for its owner to have room, or in line.
local function put_in_line(id, job)
    if job.state ~= QUEUED then return end
    if job.run_at > now then
        later('ZADD', keys.delayed, job.run_at, 'j' .. id)
        wakes = 1
        return
    end
    local group = open_group(job.group)
    if group and group.state ~= RUNNING then
        later('ZADD', keys.group_held(job.group), score_of(job), id)
        return
    end
    local owner = owner_of(job.owner)
    if has_room(owner) then
        later('ZADD', keys.ready(job.kind), score_of(job), id)
        wakes = 1
        return
    end
    later('ZADD', keys.backlog(job.owner, job.kind), score_of(job), id)
    later('SADD', keys.backlogs(job.owner), job.kind)
    if owner.has_backlog == 0 then
        owner.has_backlog = 1
        owners.touch(job.owner)
    end
end

local function take_out_of_line(id, job)
    later('ZREM', keys.delayed, 'j' .. id)
    later('ZREM', keys.ready(job.kind), id)
    later('ZREM', keys.backlog(job.owner, job.kind), id)
    if job.group ~= 0 then later('ZREM', keys.group_held(job.group), id) end
end

-- An owner that has room again gets as many of its jobs into line.
local function empty_backlog(name, owner)
    if owner.has_backlog == 0 then return end
    local room = limit_of(owner, 'running_jobs_limit') - owner.running_jobs
    if room <= 0 then return end
    sync(keys.backlogs(name))
    local left = 0
    for _, kind in ipairs(redis.call('SMEMBERS', keys.backlogs(name))) do
        local key = keys.backlog(name, kind)
        sync(key)
        local taken = redis.call('ZPOPMIN', key, math.min(room, 1000))
        for index = 1, #taken, 2 do later('ZADD', keys.ready(kind), taken[index + 1], taken[index]) end
        if #taken > 0 then wakes = 1 end
        if redis.call('EXISTS', key) == 1 then
            left = 1
        else
            redis.call('SREM', keys.backlogs(name), kind)
        end
    end
    owner.has_backlog = left
    owners.touch(name)
end
local owners_with_room = {}

local function count_open_job(job, change)
    set_meta('open_jobs', meta('open_jobs') + change)
    local owner = owner_of(job.owner)
    owner.open_jobs = owner.open_jobs + change
    owners.touch(job.owner)
    local group = open_group(job.group)
    if group then
        group.jobs_open = group.jobs_open + change
        groups.touch(job.group)
    end
end

-- `spec`: kind, payload, priority, run_at, start_by, deadline, max_attempts, unique key, owner, group, private.
-- Returns its id, and 1 if an open job had the unique key.
local function insert_job(spec)
    local unique = spec[8]
    if unique ~= '' then
        sync(keys.unique)
        local holder = redis.call('HGET', keys.unique, unique)
        if holder then return tonumber(holder), 1 end
    end
    local group = open_group(spec[10])
    local id = next_id()
    local job = {
        kind = spec[1], state = QUEUED, priority = spec[3], owner = group and group.owner or spec[9], group = spec[10],
        attempts = 0, max_attempts = spec[7], stalls = 0, snoozes = 0, progress = 0, created = now, run_at = spec[4], start_by = spec[5],
        deadline = spec[6], unique = unique, error = '', private = spec[11], started = 0, finished = 0, token = 0, turn = 0,
    }
    jobs.put(id, job)
    if spec[2] ~= '' then later('HSET', keys.payloads, id, spec[2]) end
    later('ZADD', keys.job_ids, id, id)
    if unique ~= '' then later('HSET', keys.unique, unique, id) end
    if job.group ~= 0 then later('ZADD', keys.group_jobs(job.group), id, id) end
    if job.start_by > 0 then later('ZADD', keys.starts, job.start_by, id) end
    if job.deadline > 0 then later('ZADD', keys.deadlines, job.deadline, id) end
    count_open_job(job, 1)
    count_job(job, QUEUED, 1)
    take_turn(job)
    put_in_line(id, job)
    return id, 0
end

local function forget_times(id, job)
    if job.start_by > 0 then later('ZREM', keys.starts, id) end
    if job.deadline > 0 then later('ZREM', keys.deadlines, id) end
end
local function free_unique_key(id, job)
    if job.unique == '' then return end
    sync(keys.unique)
    if redis.call('HGET', keys.unique, job.unique) == tostring(id) then redis.call('HDEL', keys.unique, job.unique) end
end
local function ended_key(job)
    if job.private == 1 then return keys.ended_zero end
    if job.group ~= 0 then return nil end
    return job.state == COMPLETED and keys.ended_completed or keys.ended_failed
end

-- `was`: the state it is counted in. The lease, if any, is gone already.
local function end_job(id, job, was, state, how)
    count_job(job, was, -1)
    count_job(job, state, 1)
    job.state = state
    job.finished = now
    job.started = how.started or 0
    job.token = how.token or 0
    job.run_at = 0
    if how.error then job.error = how.error end
    jobs.touch(id)
    if how.result and how.result ~= '' then later('HSET', keys.results, id, how.result) end
    forget_times(id, job)
    free_unique_key(id, job)
    local ended = ended_key(job)
    if ended then later('ZADD', ended, now, id) end
    if state ~= COMPLETED then later('ZADD', keys.failed, id, id) end
    count_open_job(job, -1)
    tell(EVENT.JOB, job.group, id, state)
end

-- Removes a job for good. It is not leased.
local function remove_job(id, job)
    count_job(job, job.state, -1)
    if job.finished == 0 then
        take_out_of_line(id, job)
        forget_times(id, job)
        free_unique_key(id, job)
        count_open_job(job, -1)
    else
        local ended = ended_key(job)
        if ended then later('ZREM', ended, id) end
        later('ZREM', keys.failed, id)
        later('HDEL', keys.results, id)
    end
    later('ZREM', keys.job_ids, id)
    later('HDEL', keys.payloads, id)
    if job.group ~= 0 then later('ZREM', keys.group_jobs(job.group), id) end
    jobs.remove(id)
end
