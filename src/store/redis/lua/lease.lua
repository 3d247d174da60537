-- Claims what is due for a worker. Asked: worker, kinds as pairs of name and slots, URLs, URLs per host, saturated hosts,
-- what has begun, the number of this call, the number of a call whose answer was lost (0 for none): what that one gave is
-- given back first; how many hosts it may be given that it has no URL of yet; and crawls with hosts, in turns, of whose
-- URLs there it has enough. Answers jobs, URLs, rules of hosts, when
-- more becomes due, and schedules that are due.
local worker, kinds, wanted_urls, urls_per_host = input[1], input[2], input[3], input[4]
if redis.call('HEXISTS', keys.worker_names, worker) == 0 then return refuse(NOT_FOUND, 'unknown worker') end
note_begun(input[6])
local lost_call, new_hosts = input[8], input[9]
if lost_call ~= 0 and redis.call('HGET', keys.last_lease(worker), 'call') == tostring(lost_call) then
    local given = cmsgpack.unpack(redis.call('HGET', keys.last_lease(worker), 'given'))
    for index = 1, #given, 2 do
        local id = tonumber(given[index])
        local lease = leases.get(id)
        if lease and lease.token == given[index + 1] then take_back(id, lease, false) end
    end
end
hear_of(worker)
do_what_is_due()

local given = {}  -- ids and tokens in turn
local function give(id, token)
    given[#given + 1] = id
    given[#given + 1] = token
end
local oldest_every = 16

-- Jobs, in a block of their own: a script may have 200 names at once.
local leased_jobs = {}
do
    -- The oldest of those at the head of their priorities, so that a low priority is delayed, never starved.
    local function take_oldest(key)
        local oldest, from = nil, '-inf'
        while true do
            local head = redis.call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
            if not head[1] then break end
            if not oldest or tonumber(head[1]) < tonumber(oldest) then oldest = head[1] end
            from = string.format('%.0f', (math.floor(tonumber(head[2]) / turns_per_priority) + 1) * turns_per_priority)
        end
        if oldest then redis.call('ZREM', key, oldest) end
        return oldest
    end
    local function take_from_line(key, claims, slots)
        local ids = {}
        local oldest = math.floor((claims + slots) / oldest_every) - math.floor(claims / oldest_every)
        for _ = 1, oldest do ids[#ids + 1] = take_oldest(key) end
        local popped = redis.call('ZPOPMIN', key, slots - #ids)
        for index = 1, #popped, 2 do ids[#ids + 1] = popped[index] end
        return ids
    end

    local leased_ids = {}
    local function add_leased(id, token, kind, facts)
        give(id, token)
        leased_ids[#leased_ids + 1] = id
        facts[1], facts[2], facts[3], facts[4] = id, token, kind, ''
        leased_jobs[#leased_jobs + 1] = facts
    end
    local function lease_job(id, job, kind)
        local lease = {token = next_token(), worker = worker, group = job.group, host = 0, owner = job.owner, at = now, begun = 0}
        add_lease(id, lease)
        count_job(job, QUEUED, -1)
        count_job(job, RUNNING, 1)
        if job.turn > meta('turn') then set_meta('turn', job.turn) end
        add_leased(id, lease.token, kind, {
            0, 0, 0, 0, job.attempts + 1, job.max_attempts, job.stalls, job.owner, job.group, job.deadline,
        })
    end
    -- A job of no group, as most are, is leased by its text: its row does not change. True if that was done.
    local held = keys.held_by(worker)
    local function lease_by_text(id, text, kind)
        local state, _, _, _, _, _, _, deadline, group, _, owner_name, _, attempts, max_attempts, stalls, turn =
            struct.unpack(JOB_HEAD, text)
        if group ~= 0 or state ~= QUEUED then return false end
        local owner = owner_of(owner_name)
        if not has_room(owner) then return false end
        owner.running_jobs = owner.running_jobs + 1
        owners.touch(owner_name)
        local token = next_token()
        later('HSET', keys.leases, id, struct.pack(LEASE, token, worker, 0, 0, 0, now, #owner_name, owner_name))
        later('SADD', held, id)
        if turn > meta('turn') then set_meta('turn', turn) end
        add_leased(id, token, kind, {0, 0, 0, 0, attempts + 1, max_attempts, stalls, owner_name, 0, deadline})
        return true
    end
    local function lease_any(id, text, kind)
        local job = text and not jobs.is_loaded(id) and jobs.load(id, text) or jobs.get(id)
        local group = job and open_group(job.group)
        local may_run = job and job.state == QUEUED and has_room(owner_of(job.owner)) and (not group or group.state == RUNNING)
        if may_run then
            lease_job(tonumber(id), job, kind)
        elseif job then
            put_in_line(tonumber(id), job)
        end
        return may_run
    end
    local function lease_jobs(kind, slots)
        local key = keys.ready(kind)
        sync(key)
        local claims, examined, by_text = tonumber(redis.call('GET', keys.claims(kind)) or 0), 0, 0
        while slots > 0 and examined < 2000 do
            local ids = take_from_line(key, claims, slots)
            if #ids == 0 then break end
            examined = examined + #ids
            local texts = redis.call('HMGET', keys.jobs, unpack(ids))
            for index = 1, #ids do
                local id, text, is_leased = ids[index], texts[index], false
                if text and not jobs.is_loaded(id) and lease_by_text(id, text, kind) then
                    by_text = by_text + 1
                    is_leased = true
                else
                    is_leased = lease_any(id, text, kind)
                end
                if is_leased then
                    slots = slots - 1
                    claims = claims + 1
                end
            end
            sync(key)
        end
        count_jobs(kind, QUEUED, -by_text)
        count_jobs(kind, RUNNING, by_text)
        redis.call('SET', keys.claims(kind), claims)
    end
    for index = 1, #kinds, 2 do lease_jobs(kinds[index], kinds[index + 1]) end
    for first = 1, #leased_ids, 1000 do
        local last = math.min(first + 999, #leased_ids)
        sync(keys.payloads)
        local payloads = redis.call('HMGET', keys.payloads, unpack(leased_ids, first, last))
        for index = first, last do leased_jobs[index][4] = payloads[index - first + 1] or '' end
    end
end

-- URLs: crawls take turns, by priority, then owners, then each owner's crawls.
local urls_per_turn = 16
local leased_urls, host_rules, hosts_due, saturated, exhausted = {}, {}, 0, {}, {}
for _, host in ipairs(input[5]) do saturated[host] = true end
local saturated_lanes = {}
for index = 1, #input[10], 2 do saturated_lanes[input[10][index] .. ' ' .. input[10][index + 1]] = true end

-- What an owner may still have under way is shared: whoever comes first does not take what all the others need.
local workers, shares = redis.call('HLEN', keys.worker_names), {}
local function share_of(name)
    if not shares[name] then
        local owner = owner_of(name)
        shares[name] = math.ceil((limit_of(owner, 'running_jobs_limit') - owner.running_urls) / workers)
    end
    return shares[name]
end
local function may_lease_from(id, group)
    if exhausted[id] or has_enough(group) or group.state ~= RUNNING then return false end
    return share_of(group.owner) > 0
end
local function due_later(when)
    if hosts_due == 0 or when < hosts_due then hosts_due = when end
    return false
end
local function may_take(group_id, id)
    if saturated[id] or saturated_lanes[group_id .. ' ' .. id] then return false end
    local host = hosts.get(id)
    if host.not_before > now then return due_later(host.not_before) end
    if host.claimed == 0 then
        if new_hosts <= 0 then return false end
        -- Its pace holds from one worker to the next.
        local free_at = host.released + host.delay
        if host.worker ~= worker and free_at > now and redis.call('HEXISTS', keys.worker_names, host.worker) == 1 then
            return due_later(free_at)
        end
        return true
    end
    return host.worker == worker and host.claimed < urls_per_host
end
local function lease_url(id, group_id, group)
    local url = urls.get(id)
    if not url or url.state ~= URL.QUEUED or url.run_at > 0 or leases.get(id) then return end
    local host = hosts.get(url.host)
    if host.claimed == 0 and host.known == 1 then
        host_rules[#host_rules + 1] = {host.name, host.connections, host.delay, host.not_before}
    end
    if host.claimed == 0 then new_hosts = new_hosts - 1 end
    host.claimed = host.claimed + 1
    host.worker = worker
    hosts.touch(url.host)
    local lease = {token = next_token(), worker = worker, group = group_id, host = url.host, owner = group.owner, at = now, begun = 0}
    add_lease(id, lease)
    shares[group.owner] = shares[group.owner] - 1
    group.queued = group.queued - 1
    group.running = group.running + 1
    groups.touch(group_id)
    give(id, lease.token)
    leased_urls[#leased_urls + 1] = {
        id, lease.token, group_id, url.host, host.name, url.url, url.key, url.depth, url.redirects, url.source, url.attempts + 1,
        group.collection, group.site, group.private,
    }
end
-- The next URL of the group, its hosts taking turns. Nothing if none may be taken now.
local function take_url(group_id, group)
    local key = keys.group_hosts(group_id)
    sync(key)
    for _, text in ipairs(redis.call('ZRANGE', key, 0, 127)) do
        local host = tonumber(text)
        group.host_turn = group.host_turn + 1
        if may_take(group_id, host) then
            sync(keys.lane(group_id, host))
            local taken = redis.call('ZPOPMIN', keys.lane(group_id, host))
            if taken[1] then
                redis.call('ZADD', key, group.host_turn, text)
                return tonumber(taken[1])
            end
            redis.call('ZREM', key, text)
        else
            redis.call('ZADD', key, group.host_turn, text)
        end
    end
end
local function give_turn(group_id, group)
    local turn = meta('url_turns') + 1
    set_meta('url_turns', turn)
    local owner = owner_of(group.owner)
    group.url_turn, owner.url_turn = turn, turn
    groups.touch(group_id)
    owners.touch(group.owner)
    for _ = 1, urls_per_turn do
        if #leased_urls >= wanted_urls or not may_lease_from(group_id, group) then return end
        local id = take_url(group_id, group)
        if not id then
            exhausted[group_id] = true
            return
        end
        lease_url(id, group_id, group)
    end
end
local function goes_before(left_id, left, right_id, right, by_wait)
    if not by_wait and left.priority ~= right.priority then return left.priority < right.priority end
    local left_turn, right_turn = owner_of(left.owner).url_turn, owner_of(right.owner).url_turn
    if left_turn ~= right_turn then return left_turn < right_turn end
    if left.url_turn ~= right.url_turn then return left.url_turn < right.url_turn end
    return left_id < right_id
end
local function lease_all_urls()
    sync(keys.frontier)
    local candidates = redis.call('SMEMBERS', keys.frontier)
    groups.fetch(candidates)
    while #leased_urls < wanted_urls do
        local by_wait = (meta('url_turns') + 1) % oldest_every == 0
        local best_id, best
        for _, text in ipairs(candidates) do
            local id = tonumber(text)
            local group = groups.get(id)
            if group and may_lease_from(id, group) and (not best or goes_before(id, group, best_id, best, by_wait)) then
                best_id, best = id, group
            end
        end
        if not best then return end
        give_turn(best_id, best)
    end
end
if wanted_urls > 0 then lease_all_urls() end

redis.call('HSET', keys.last_lease(worker), 'call', input[7], 'given', cmsgpack.pack(given))
settle()
local schedules = redis.call('ZRANGEBYSCORE', keys.schedule_times, '-inf', string.format('%.0f', now), 'LIMIT', 0, 20)
return answer({leased_jobs, leased_urls, host_rules, next_due(hosts_due), schedules})
