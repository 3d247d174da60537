-- Which jobs and URLs a filter is about, in the order of their ids, some at a time.
local most_examined = 500

local function set_of(list)
    if #list == 0 then return nil end
    local set = {}
    for _, value in ipairs(list) do set[value] = true end
    return set
end

-- The ids of a list that ascends, after one of them.
local function list_after(key, after, count)
    local low, high = 0, redis.call('LLEN', key)
    while low < high do
        local middle = math.floor((low + high) / 2)
        if tonumber(redis.call('LINDEX', key, middle)) > after then high = middle else low = middle + 1 end
    end
    return redis.call('LRANGE', key, low, low + count - 1)
end
local function set_after(key, after, count)
    return redis.call('ZRANGEBYSCORE', key, string.format('(%.0f', after), '+inf', 'LIMIT', 0, count)
end

local function merge(target, ids)
    for _, id in ipairs(ids) do target[#target + 1] = tonumber(id) end
end

local function only_ended_badly(states)
    if #states == 0 then return false end
    for _, state in ipairs(states) do
        if state ~= FAILED and state ~= CANCELLED then return false end
    end
    return true
end
local function urls_of_all_groups(after, count)
    local found, from = {}, -1
    while true do
        local ids = set_after(keys.group_ids, from, 500)
        if #ids == 0 then return found end
        groups.fetch(ids)
        for _, text in ipairs(ids) do
            from = tonumber(text)
            -- URLs of a group have ids after its own.
            if #found >= count then
                table.sort(found)
                if found[count] < from then return found end
            end
            local group = groups.get(from)
            if group and group.discovered > 0 and (group.last_id == 0 or group.last_id > after) then
                merge(found, list_after(keys.group_order(from), after, count))
            end
        end
    end
end

-- Up to `count` ids after one, and more.
local function candidates(filter, after, count)
    local found = {}
    if #filter.ids > 0 then
        for _, id in ipairs(filter.ids) do
            if id > after then found[#found + 1] = id end
        end
        return found
    end
    if filter.kind ~= 'fetch_page' then
        local key = keys.job_ids
        if filter.group ~= 0 then
            key = keys.group_jobs(filter.group)
        elseif only_ended_badly(filter.states) then
            key = keys.failed
        end
        merge(found, set_after(key, after, count))
    end
    if filter.group ~= 0 and (filter.kind == '' or filter.kind == 'fetch_page') then
        merge(found, list_after(keys.group_order(filter.group), after, count))
    elseif filter.kind == 'fetch_page' then
        merge(found, urls_of_all_groups(after, count))
    end
    return found
end

-- As a job: a URL that was skipped has completed, and what still waits in a group that is over was skipped with it, or
-- cancelled.
local function state_of_url(url, group, lease)
    if url.state == URL.QUEUED and is_over(group) then return group.state == CANCELLED and CANCELLED or COMPLETED end
    if lease then return RUNNING end
    if url.state == URL.SKIPPED then return COMPLETED end
    if url.state == URL.CANCELLED then return CANCELLED end
    return url.state
end

-- What is known of an id: {id, is_url, row, group, lease, state, owner, collection, since}. Nothing if it is gone.
local function entry_of(id)
    local job, lease = jobs.get(id), leases.get(id)
    if job then
        local group = group_or_none(job.group)
        return {
            id = id, row = job, group = group, lease = lease, state = lease and RUNNING or job.state, owner = job.owner,
            kind = job.kind, collection = group and group.collection or '', since = job.finished > 0 and job.finished or job.created,
        }
    end
    local url = urls.get(id)
    local group = url and groups.get(url.group)
    if not group then return nil end
    return {
        id = id, is_url = true, row = url, group = group, lease = lease, state = state_of_url(url, group, lease),
        owner = group.owner, kind = 'fetch_page', collection = group.collection,
        since = url.finished > 0 and url.finished or group.created,
    }
end

local function matches(entry, filter, states)
    if states and not states[entry.state] then return false end
    if filter.kind ~= '' and entry.kind ~= filter.kind then return false end
    if filter.group ~= 0 and entry.row.group ~= filter.group then return false end
    if filter.owner ~= '' and entry.owner ~= filter.owner then return false end
    if filter.collection ~= '' and entry.collection ~= filter.collection then return false end
    return filter.older_than < 0 or entry.since <= now - filter.older_than
end

-- The entries that match among the next candidates, and the id to go on after; 0 at the end.
local function select_some(filter, after, most)
    local ids = candidates(filter, after, most_examined)
    table.sort(ids)
    local last = 0
    if #ids > most_examined or (#ids == most_examined and #filter.ids == 0) then last = ids[most_examined] end
    local texts = {}
    for index = 1, math.min(#ids, most_examined) do texts[index] = string.format('%.0f', ids[index]) end
    jobs.fetch(texts)
    leases.fetch(texts)
    local states, found = set_of(filter.states), {}
    for index = 1, #texts do
        local entry = entry_of(ids[index])
        if entry and matches(entry, filter, states) then
            found[#found + 1] = entry
            if #found == most then return found, ids[index] end
        end
    end
    return found, last
end
