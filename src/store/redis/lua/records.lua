-- Rows of a hash, each a list of values packed by MessagePack. They are read once, changed in memory, and written when
-- the script ends. 0 and "" stand for nothing.
local function row_table(key, fields)
    local rows, dirty, order = {}, {}, {}
    local rowset = {}
    local function decode(text)
        local values, row = cmsgpack.unpack(text), {}
        for index = 1, #fields do row[fields[index]] = values[index] end
        return row
    end
    -- Reads many at once; get() then finds them.
    function rowset.fetch(ids)
        for first = 1, #ids, 1000 do
            local last = math.min(first + 999, #ids)
            local texts = redis.call('HMGET', key, unpack(ids, first, last))
            for index = first, last do
                local id, text = tostring(ids[index]), texts[index - first + 1]
                if rows[id] == nil then rows[id] = text and decode(text) or false end
            end
        end
    end
    function rowset.get(id)
        id = tostring(id)
        if rows[id] == nil then
            local text = redis.call('HGET', key, id)
            rows[id] = text and decode(text) or false
        end
        return rows[id] or nil
    end
    function rowset.touch(id)
        id = tostring(id)
        if not dirty[id] then
            dirty[id] = true
            order[#order + 1] = id
        end
    end
    function rowset.put(id, row)
        rows[tostring(id)] = row
        rowset.touch(id)
    end
    function rowset.remove(id)
        rows[tostring(id)] = false
        rowset.touch(id)
    end
    function rowset.dirty_ids() return order end
    function rowset.save()
        for index = 1, #order do
            local id = order[index]
            local row = rows[id]
            if row then
                local values = {}
                for field = 1, #fields do values[field] = row[fields[field]] end
                later('HSET', key, id, cmsgpack.pack(values))
            else
                later('HDEL', key, id)
            end
        end
        dirty, order = {}, {}
    end
    return rowset
end

local jobs = row_table(keys.jobs, {
    'kind', 'state', 'priority', 'owner', 'group', 'attempts', 'max_attempts', 'stalls', 'progress', 'created', 'run_at',
    'start_by', 'deadline', 'unique', 'error', 'private', 'started', 'finished', 'token', 'turn',
})
local urls = row_table(keys.urls, {
    'group', 'host', 'key', 'state', 'priority', 'depth', 'redirects', 'source', 'attempts', 'stalls', 'status', 'skipped',
    'run_at', 'finished', 'content', 'token', 'error', 'url', 'final_url', 'note',
})
local leases = row_table(keys.leases, {'token', 'worker', 'group', 'host', 'owner', 'at', 'begun'})
local groups = row_table(keys.groups, {
    'state', 'owner', 'priority', 'company', 'page_limit', 'url_limit', 'collection', 'site', 'index_pages', 'private',
    'has_closing', 'has_notice', 'kind', 'created', 'started', 'finished', 'last_id', 'turn', 'url_turn', 'host_turn', 'left',
    'jobs_open', 'discovered', 'queued', 'running', 'completed', 'failed', 'skipped', 'unchanged', 'duplicates', 'gone',
    'not_admitted', 'removed', 'bytes', 'fetch_us', 'extract_us',
})
local owners = row_table(keys.owners, {
    'limited', 'running_jobs_limit', 'running_groups_limit', 'open_jobs_limit', 'requests_per_minute', 'pages_per_month',
    'open_jobs', 'running_jobs', 'running_urls', 'running_groups', 'exclusive_groups', 'turn', 'url_turn', 'has_backlog',
})
local hosts = row_table(keys.hosts, {'name', 'known', 'connections', 'delay', 'not_before', 'worker', 'claimed', 'released'})

-- The numbers of model/job.h, model/frontier.h, model/group.h and base/result.h.
local QUEUED, RUNNING, COMPLETED, FAILED, CANCELLED, PAUSED = 0, 1, 2, 3, 4, 5
local URL_QUEUED, URL_RUNNING, URL_COMPLETED, URL_FAILED, URL_SKIPPED, URL_CANCELLED = 0, 1, 2, 3, 4, 5
local state_names = {[0] = 'queued', 'running', 'completed', 'failed', 'cancelled', 'paused'}
local ALONE, APART = 1, 2
local NOT_FOUND, CONFLICT = 1, 2

local function is_over(group) return group.finished > 0 end
local function group_or_none(id) return id ~= 0 and groups.get(id) or nil end
-- A group that is not over.
local function open_group(id)
    local group = group_or_none(id)
    return group and not is_over(group) and group or nil
end
local function owner_of(name)
    local owner = owners.get(name)
    if not owner then
        owner = {
            limited = 0, running_jobs_limit = 0, running_groups_limit = 0, open_jobs_limit = 0, requests_per_minute = 0,
            pages_per_month = 0, open_jobs = 0, running_jobs = 0, running_urls = 0, running_groups = 0, exclusive_groups = 0,
            turn = 0, url_turn = 0, has_backlog = 0,
        }
        owners.put(name, owner)
    end
    return owner
end
local function limit_of(owner, name)
    if owner.limited == 1 then return owner[name] end
    return limits[name]
end

-- Numbers that are kept in `meta`, read when first needed.
local meta_values, meta_dirty = {}, {}
local function meta(name)
    if meta_values[name] == nil then meta_values[name] = tonumber(redis.call('HGET', keys.meta, name) or 0) end
    return meta_values[name]
end
local function set_meta(name, value)
    meta_values[name] = value
    meta_dirty[name] = true
end

-- Counts of jobs by state, kind and collection.
local count_changes = {}
local function count_job(job, state, change)
    local group = group_or_none(job.group)
    local field = state .. '\n' .. job.kind .. '\n' .. (group and group.collection or '')
    count_changes[field] = (count_changes[field] or 0) + change
end

-- Numbers that were never given before, taken from their counter in blocks. A new counter begins after `first`.
local function counter(key, block, first)
    local last, left = 0, 0
    return function()
        if left == 0 then
            last = redis.call('INCRBY', key, block)
            if last == block and first > 0 then last = redis.call('INCRBY', key, first) end
            last = last - block
            left = block
        end
        left = left - 1
        last = last + 1
        return last
    end
end
-- Ids begin after those of the content store (id_space.h), and with the time, in milliseconds since 2020: a server that
-- lost everything does not give the ids again that the content store knows crawls by.
local next_id = counter(keys.ids, 32, 1099511627776 + time[1] * 1000 - 1577836800000)
local next_token = counter(keys.tokens, 32, 0)

-- What the caller tells others, and what it remembers as known.
local events, admitted, wakes = {}, {}, 0
local function tell(what, group, id, state, url, status)
    events[#events + 1] = {what, group, id, state, url or '', status or 0}
end
local EVENT_PAGE, EVENT_URL_FAILED, EVENT_GROUP, EVENT_JOB = 0, 1, 2, 3
local function tell_group(id, group) tell(EVENT_GROUP, id, 0, group.state) end

-- URLs are counted as jobs of kind fetch_page: by how the counters of their groups have moved.
local url_counts = {}
local function url_counts_of(group)
    local cancelled = 0
    if group.state == CANCELLED then cancelled = group.discovered - group.completed - group.skipped - group.failed end
    return {
        [QUEUED] = group.queued, [RUNNING] = group.running, [COMPLETED] = group.completed + group.skipped,
        [FAILED] = group.failed, [CANCELLED] = cancelled,
    }
end
do
    local get = groups.get
    groups.get = function(id)
        local group = get(id)
        if group and not url_counts[tostring(id)] then url_counts[tostring(id)] = url_counts_of(group) end
        return group
    end
end
local function count_urls(id, collection, before, after)
    for state, count in pairs(after) do
        local field = state .. '\nfetch_page\n' .. collection
        count_changes[field] = (count_changes[field] or 0) + count - (before and before[state] or 0)
    end
end

local function save_all()
    for _, id in ipairs(groups.dirty_ids()) do
        local group = groups.get(id)
        if group then count_urls(id, group.collection, url_counts[id], url_counts_of(group)) end
    end
    jobs.save()
    urls.save()
    leases.save()
    groups.save()
    owners.save()
    hosts.save()
    for name in pairs(meta_dirty) do later('HSET', keys.meta, name, meta_values[name]) end
    for field, change in pairs(count_changes) do
        if change ~= 0 and redis.call('HINCRBY', keys.counts, field, change) == 0 then redis.call('HDEL', keys.counts, field) end
    end
    sync_all()
end
-- Every script ends with one of these.
local function refuse(code, message) return {now, 0, {}, {}, code + 1, message} end
local function answer(result)
    save_all()
    return {now, wakes, events, admitted, 0, result}
end
