-- The URLs of crawls. Those that are ready stand in lanes, one for each host of a group; a host belongs to one worker
-- while that holds URLs of it, so that politeness needs no agreement between workers.

local function host_id(name)
    local id = redis.call('HGET', keys.host_names, name)
    if id then return tonumber(id) end
    id = next_id()
    redis.call('HSET', keys.host_names, name, id)
    hosts.put(id, {name = name, known = 0, connections = 0, delay = 0, not_before = 0, worker = 0, claimed = 0, released = 0})
    return id
end

local function set_host_rule(rule)
    local id = host_id(rule[1])
    local host = hosts.get(id)
    host.known, host.connections, host.delay, host.not_before = 1, rule[2], rule[3], rule[4]
    hosts.touch(id)
end

local function release_host(id)
    local host = hosts.get(id)
    if not host then return end
    host.claimed = math.max(0, host.claimed - 1)
    if host.claimed == 0 then host.released = now end
    hosts.touch(id)
end

-- In its lane, or among those that wait for their time.
local function put_url_in_line(id, url)
    local group = groups.get(url.group)
    if url.run_at > 0 then
        later('ZADD', keys.delayed, url.run_at, 'u' .. id)
    else
        later('ZADD', keys.lane(url.group, url.host), url.priority, id)
        sync(keys.group_hosts(url.group))
        redis.call('ZADD', keys.group_hosts(url.group), 'NX', group.host_turn, url.host)
    end
    groups.touch(url.group)
    wakes = 1
end

local function admit_one(group_id, group, found, known)
    local key = found[2]
    if known then return end
    if group.discovered >= group.url_limit then
        group.not_admitted = group.not_admitted + 1
        return
    end
    local id = next_id()
    later('HSET', keys.group_known(group_id), key, id)
    later('RPUSH', keys.group_order(group_id), id)
    admitted[#admitted + 1] = {group_id, key}
    local url = {
        group = group_id, host = host_id(found[3]), key = key, state = URL.QUEUED, priority = found[7], depth = found[4],
        redirects = found[5], source = found[6], attempts = 0, stalls = 0, snoozes = 0, status = 0, skipped = 0, run_at = 0, finished = 0,
        content = 0, token = 0, error = -1, url = found[1], final_url = '', note = '',
    }
    urls.put(id, url)
    group.discovered = group.discovered + 1
    group.queued = group.queued + 1
    put_url_in_line(id, url)
end

-- `found`: lists of url, key, host, depth, redirects, source, priority.
local function admit(group_id, group, found)
    groups.touch(group_id)
    for first = 1, #found, 500 do
        local last = math.min(first + 499, #found)
        local names = {}
        for index = first, last do names[#names + 1] = found[index][2] end
        sync(keys.group_known(group_id))
        local known = redis.call('HMGET', keys.group_known(group_id), unpack(names))
        local new = {}
        for index = first, last do
            local key = found[index][2]
            admit_one(group_id, group, found[index], known[index - first + 1] or new[key])
            new[key] = true
        end
    end
end

local function count_url(group, state, status, change)
    if state == URL.QUEUED then group.queued = group.queued + change
    elseif state == URL.RUNNING then group.running = group.running + change
    elseif state == URL.COMPLETED then group.completed = group.completed + change
    elseif state == URL.SKIPPED then group.skipped = group.skipped + change
    elseif state == URL.FAILED then
        group.failed = group.failed + change
        if status == 404 or status == 410 then group.gone = group.gone + change end
    end
end

local function count_page(owner)
    local day = math.floor(now / 86400000) * 86400000
    redis.call('HINCRBY', keys.usage(owner), string.format('%.0f', day), 1)
end

-- `was`: the state it is counted in.
local function end_url(id, url, was, state, how)
    url.state = state
    url.finished = now
    url.run_at = 0
    url.token = how.token or 0
    url.status = how.status or 0
    url.skipped = how.skipped or 0
    url.content = how.content or 0
    url.error = how.error or -1
    url.final_url = how.final_url or ''
    url.note = how.note or ''
    urls.touch(id)
    local group = open_group(url.group)
    if not group then return end
    count_url(group, was, 0, -1)
    count_url(group, state, url.status, 1)
    groups.touch(url.group)
    if state == URL.COMPLETED then count_page(group.owner) end
    if state == URL.COMPLETED or state == URL.FAILED then
        -- Who is told may write it down.
        local name = group.private == 1 and '' or url.url
        tell(state == URL.COMPLETED and EVENT.PAGE or EVENT.URL_FAILED, url.group, id,
             state == URL.COMPLETED and COMPLETED or FAILED, name, url.status)
    end
end

local function take_url_out_of_line(id, url)
    later('ZREM', keys.delayed, 'u' .. id)
    later('ZREM', keys.lane(url.group, url.host), id)
end

local function has_enough(group) return group.completed + group.running >= group.page_limit end
-- Whether the group is among those that are asked for URLs.
local function line_up(id, group)
    sync(keys.group_hosts(id))
    local gives = group.state == RUNNING and group.queued > 0 and not has_enough(group) and
                  redis.call('EXISTS', keys.group_hosts(id)) == 1
    later(gives and 'SADD' or 'SREM', keys.frontier, id)
end
