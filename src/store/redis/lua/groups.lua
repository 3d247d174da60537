-- Groups begin, pause, end and make room for others.

local owners_to_reconsider, all_reconsidered = {}, false
local function reconsider(owner) owners_to_reconsider[owner] = true end

local function add_notice(id, group)
    if group.has_notice == 0 then return end
    local text = redis.call('HGET', keys.facts, id .. ':notice')
    if not text then return end
    local spec = cmsgpack.unpack(text)
    -- Its payload is an object without these two names.
    local members = spec[2]:sub(1, -2)
    if members ~= '{' then members = members .. ',' end
    spec[2] = members .. '"group":' .. string.format('%.0f', id) .. ',"state":"' .. state_names[group.state] .. '"}'
    spec[9] = group.owner
    insert_job(spec)
end

-- Jobs that waited for the group, in steps: what is left is done with the next call.
local function release_held(id)
    local key = keys.group_held(id)
    sync(key)
    local held = redis.call('ZRANGE', key, 0, 499)
    jobs.fetch(held)
    for _, job_id in ipairs(held) do
        redis.call('ZREM', key, job_id)
        local job = jobs.get(job_id)
        if job then put_in_line(tonumber(job_id), job) end
    end
    later(#held == 500 and 'SADD' or 'SREM', keys.unfinished, id)
end

local function set_running(id, group, runs)
    local change = runs and 1 or -1
    local owner = owner_of(group.owner)
    owners.touch(group.owner)
    if group.company ~= APART then owner.running_groups = owner.running_groups + change end
    if group.company == ALONE then owner.exclusive_groups = owner.exclusive_groups + change end
    if runs then
        redis.call('SADD', keys.running_groups, id)
    else
        if redis.call('SCARD', keys.running_groups) >= limits.max_running_groups then all_reconsidered = true end
        redis.call('SREM', keys.running_groups, id)
    end
end

local function set_group_state(id, group, state)
    local ran, runs = group.state == RUNNING, state == RUNNING
    local key = keys.waiting(group.owner)
    group.state = state
    groups.touch(id)
    if state == QUEUED then
        redis.call('ZADD', key, group.priority, id)
        redis.call('SADD', keys.waiting_owners, group.owner)
    else
        redis.call('ZREM', key, id)
    end
    if ran and not runs then set_running(id, group, false) end
    -- Also one that only waited: others waited behind it.
    if not runs then reconsider(group.owner) end
    if runs and not ran then
        set_running(id, group, true)
        if group.started == 0 then group.started = now end
        release_held(id)
        wakes = 1
    end
    tell_group(id, group)
end

local function begin_group(id, group)
    local is_new = group.started == 0
    set_group_state(id, group, RUNNING)
    if is_new then add_notice(id, group) end
end

local function end_group(id, group, state)
    set_group_state(id, group, state)
    group.finished = now
    group.last_id = tonumber(redis.call('GET', keys.ids))
    redis.call('ZREM', keys.open_groups, id)
    if group.keep >= 0 then
        redis.call('ZADD', keys.expiring, now + (group.completed > 0 and group.keep or group.keep_failed), id)
    else
        redis.call('ZADD', group.private == 1 and keys.ended_private or keys.ended_groups, now, id)
    end
    wakes = 1
    add_notice(id, group)
end

local function has_work_left(group)
    if group.jobs_open > 0 or group.running > 0 then return true end
    return group.queued > 0 and not has_enough(group)
end
-- The URLs that never had their turn count as skipped; their rows are not touched, readers know.
local function skip_the_rest(group)
    group.left = group.queued
    group.skipped = group.skipped + group.queued
    group.queued = 0
end

local function add_closing_jobs(id, group)
    group.has_closing = 0
    local text = redis.call('HGET', keys.facts, id .. ':closing')
    redis.call('HDEL', keys.facts, id .. ':closing')
    if not text then return end
    for _, spec in ipairs(cmsgpack.unpack(text)) do
        spec[10] = id
        insert_job(spec)
    end
end

local settled = {}
local function settle_group(id, group)
    if group.state ~= RUNNING or has_work_left(group) then return end
    if group.has_closing == 1 then
        add_closing_jobs(id, group)
        groups.touch(id)
        if has_work_left(group) then return end
    end
    skip_the_rest(group)
    end_group(id, group, COMPLETED)
end

local function may_start(group)
    if redis.call('SCARD', keys.running_groups) >= limits.max_running_groups then return false end
    if group.company == APART then return true end
    local owner = owner_of(group.owner)
    if owner.exclusive_groups > 0 then return false end
    if group.company == ALONE then return owner.running_groups == 0 end
    return owner.running_groups < limit_of(owner, 'running_groups_limit')
end

-- Nobody overtakes within an owner, or a group that wants no company would wait for ever.
local function start_waiting(name)
    local is_blocked = false
    for _, id in ipairs(redis.call('ZRANGE', keys.waiting(name), 0, 199)) do
        id = tonumber(id)
        local group = groups.get(id)
        if not group then
            redis.call('ZREM', keys.waiting(name), id)
        elseif not (is_blocked and group.company ~= APART) then
            if may_start(group) then
                begin_group(id, group)
                settled[id] = group
            else
                is_blocked = true
            end
        end
    end
    if redis.call('EXISTS', keys.waiting(name)) == 0 then redis.call('SREM', keys.waiting_owners, name) end
end

-- Groups that were changed by the script: looked at when it ends.
local touched_groups = {}
do
    local touch = groups.touch
    groups.touch = function(id)
        touched_groups[tonumber(id)] = true
        touch(id)
    end
end

local function settle_touched()
    local ids = touched_groups
    touched_groups = {}
    local order = {}
    for id in pairs(ids) do order[#order + 1] = id end
    table.sort(order)
    for _, id in ipairs(order) do
        local group = groups.get(id)
        if group and not is_over(group) then settle_group(id, group) end
        if group then line_up(id, group) end
    end
    return #order > 0
end

-- Completes what is complete and begins what may begin, until nothing changes any more.
local function settle()
    while settle_touched() or next(owners_to_reconsider) or all_reconsidered do
        local names = owners_to_reconsider
        owners_to_reconsider = {}
        if all_reconsidered then
            all_reconsidered = false
            for _, name in ipairs(redis.call('SMEMBERS', keys.waiting_owners)) do names[name] = true end
        end
        local order = {}
        for name in pairs(names) do order[#order + 1] = name end
        table.sort(order)
        for _, name in ipairs(order) do start_waiting(name) end
    end
    for name in pairs(owners_with_room) do empty_backlog(name, owner_of(name)) end
end

-- Of a group that jobs are to be added to: nothing if it is open.
local function closed_group(id)
    local group = groups.get(id)
    if not group then return NOT_FOUND, 'there is no such group' end
    if is_over(group) then return CONFLICT, 'the crawl is already ' .. state_names[group.state] end
end

-- Makes it wait for its turn again. Nothing if it is gone.
local function reopen_group(id)
    local group = groups.get(id)
    if not group or not is_over(group) then return group end
    group.queued = group.queued + group.left
    if group.state ~= CANCELLED then group.skipped = group.skipped - group.left end
    group.left, group.finished, group.last_id = 0, 0, 0
    redis.call('HDEL', keys.facts, id .. ':error')
    redis.call('ZREM', keys.ended_groups, id)
    redis.call('ZREM', keys.ended_private, id)
    redis.call('ZREM', keys.expiring, id)
    redis.call('ZADD', keys.open_groups, id, id)
    set_group_state(id, group, QUEUED)
    return group
end
