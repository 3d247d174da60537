-- Rows of a hash. They are read once, changed in memory, and written when the script ends. 0 and "" stand for nothing.
--
-- How a row is read from its text and written as one is spelt out for each table, since that is done for every job of
-- every script: no loop over names, and tables that are made in their final size.
local function row_table(key, decode, encode)
    local rows, dirty, order = {}, {}, {}
    local rowset = {}
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
    -- Whether this script has read or changed it: then its text may be out of date.
    function rowset.is_loaded(id) return rows[id] ~= nil end
    -- The same as get(), of one that is not loaded and whose text was read.
    function rowset.load(id, text)
        rows[id] = decode(text)
        return rows[id]
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
                later('HSET', key, id, encode(row))
            else
                later('HDEL', key, id)
            end
        end
        dirty, order = {}, {}
    end
    return rowset
end

-- Jobs and leases are packed binary, which is read without making a table. What the end of a job changes comes first, so
-- that hundreds are ended by writing another beginning (finishing.lua).
local JOB_END, JOB_END_BYTES = '<Bdddd', 33  -- state, run_at, started, finished, token
local JOB_HEAD = JOB_END .. 'BdddI4c0I4c0I4c0i4i4i4d'
local jobs
do
    local JOB = JOB_HEAD .. 'i4i4dI4c0'
    local JOB_WITH_SNOOZES = JOB .. 'i4'
    jobs = row_table(keys.jobs, function(text)
        local state, run_at, started, finished, token, private, start_by, deadline, group, kind, owner, unique, attempts,
            max_attempts, stalls, turn, priority, progress, created, error, last = struct.unpack(JOB, text)
        -- What older programs wrote ends there.
        local snoozes = last <= #text and struct.unpack('<i4', text, last) or 0
        return {
            state = state, run_at = run_at, started = started, finished = finished, token = token, private = private,
            start_by = start_by, deadline = deadline, group = group, kind = kind, owner = owner, unique = unique,
            attempts = attempts, max_attempts = max_attempts, stalls = stalls, turn = turn, priority = priority,
            progress = progress, created = created, error = error, snoozes = snoozes,
        }
    end, function(r)
        return struct.pack(JOB_WITH_SNOOZES, r.state, r.run_at, r.started, r.finished, r.token, r.private, r.start_by, r.deadline, r.group,
                           #r.kind, r.kind, #r.owner, r.owner, #r.unique, r.unique, r.attempts, r.max_attempts, r.stalls, r.turn,
                           r.priority, r.progress, r.created, #r.error, r.error, r.snoozes)
    end)
end
local LEASE = '<ddddBdI4c0'  -- token, worker, group, host (0: of a job), whether its handler has begun, since when, owner
local leases = row_table(keys.leases, function(text)
    local token, worker, group, host, begun, at, owner = struct.unpack(LEASE, text)
    return {token = token, worker = worker, group = group, host = host, begun = begun, at = at, owner = owner}
end, function(r)
    return struct.pack(LEASE, r.token, r.worker, r.group, r.host, r.begun, r.at, #r.owner, r.owner)
end)

-- The others are lists packed by MessagePack.
local function packed_table(key, row_of, values_of)
    return row_table(key, function(text) return row_of(cmsgpack.unpack(text)) end,
                     function(row) return cmsgpack.pack(values_of(row)) end)
end
local urls = packed_table(keys.urls, function(v)
    return {
        group = v[1], host = v[2], key = v[3], state = v[4], priority = v[5], depth = v[6], redirects = v[7],
        source = v[8], attempts = v[9], stalls = v[10], status = v[11], skipped = v[12], run_at = v[13],
        finished = v[14], content = v[15], token = v[16], error = v[17], url = v[18], final_url = v[19], note = v[20],
        snoozes = v[21] or 0,
    }
end, function(r)
    return {
        r.group, r.host, r.key, r.state, r.priority, r.depth, r.redirects, r.source, r.attempts, r.stalls, r.status,
        r.skipped, r.run_at, r.finished, r.content, r.token, r.error, r.url, r.final_url, r.note, r.snoozes,
    }
end)
local groups = packed_table(keys.groups, function(v)
    return {
        state = v[1], owner = v[2], priority = v[3], company = v[4], page_limit = v[5], url_limit = v[6],
        collection = v[7], site = v[8], index_pages = v[9], private = v[10], has_closing = v[11], has_notice = v[12],
        kind = v[13], created = v[14], started = v[15], finished = v[16], last_id = v[17], turn = v[18],
        url_turn = v[19], host_turn = v[20], left = v[21], jobs_open = v[22], discovered = v[23], queued = v[24],
        running = v[25], completed = v[26], failed = v[27], skipped = v[28], unchanged = v[29], duplicates = v[30],
        gone = v[31], not_admitted = v[32], removed = v[33], bytes = v[34], fetch_us = v[35], extract_us = v[36],
        keep = v[37] or -1, keep_failed = v[38] or -1, page_keeping = v[39] or 0, request_id = v[40] or '',
    }
end, function(r)
    return {
        r.state, r.owner, r.priority, r.company, r.page_limit, r.url_limit, r.collection, r.site, r.index_pages,
        r.private, r.has_closing, r.has_notice, r.kind, r.created, r.started, r.finished, r.last_id, r.turn,
        r.url_turn, r.host_turn, r.left, r.jobs_open, r.discovered, r.queued, r.running, r.completed, r.failed,
        r.skipped, r.unchanged, r.duplicates, r.gone, r.not_admitted, r.removed, r.bytes, r.fetch_us, r.extract_us,
        r.keep, r.keep_failed, r.page_keeping, r.request_id,
    }
end)
local owners = packed_table(keys.owners, function(v)
    return {
        limited = v[1], running_jobs_limit = v[2], running_groups_limit = v[3], open_jobs_limit = v[4],
        requests_per_minute = v[5], pages_per_month = v[6], open_jobs = v[7], running_jobs = v[8], running_urls = v[9],
        running_groups = v[10], exclusive_groups = v[11], turn = v[12], url_turn = v[13], has_backlog = v[14],
        stored_bytes = v[15] or 0,
    }
end, function(r)
    return {
        r.limited, r.running_jobs_limit, r.running_groups_limit, r.open_jobs_limit, r.requests_per_minute,
        r.pages_per_month, r.open_jobs, r.running_jobs, r.running_urls, r.running_groups, r.exclusive_groups, r.turn,
        r.url_turn, r.has_backlog, r.stored_bytes,
    }
end)
local hosts = packed_table(keys.hosts, function(v)
    return {
        name = v[1], known = v[2], connections = v[3], delay = v[4], not_before = v[5], worker = v[6], claimed = v[7],
        released = v[8],
    }
end, function(r)
    return {
        r.name, r.known, r.connections, r.delay, r.not_before, r.worker, r.claimed, r.released,
    }
end)

-- The numbers of model/job.h, model/frontier.h, model/group.h and base/result.h.
local QUEUED, RUNNING, COMPLETED, FAILED, CANCELLED, PAUSED = 0, 1, 2, 3, 4, 5
-- In tables, because Lua takes no more than 200 local variables in one script.
local URL = {QUEUED = 0, RUNNING = 1, COMPLETED = 2, FAILED = 3, SKIPPED = 4, CANCELLED = 5}
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
            turn = 0, url_turn = 0, has_backlog = 0, stored_bytes = 0,
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
-- Of no group.
local function count_jobs(kind, state, change)
    local field = state .. '\n' .. kind .. '\n'
    count_changes[field] = (count_changes[field] or 0) + change
end
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
local next_token = counter(keys.tokens, 250, 0)

-- What the caller tells others, and what it remembers as known.
local events, admitted, wakes = {}, {}, 0
local function tell(what, group, id, state, url, status)
    events[#events + 1] = {what, group, id, state, url or '', status or 0}
end
local EVENT = {PAGE = 0, URL_FAILED = 1, GROUP = 2, JOB = 3, WORKER_DIED = 6}
local function tell_group(id, group) tell(EVENT.GROUP, id, 0, group.state) end

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
