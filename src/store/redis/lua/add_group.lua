-- Begins a group. Asked: its fields, its jobs' specs, its seeds, the schedule that begins it or nothing (schedules.lua).
-- Answers its id; 0 if it is not the time of its schedule.
if not is_its_time(input[4]) then return answer(0) end
local wanted, specs, seeds = input[1], input[2], input[3]
local new_jobs = {}
for _, spec in ipairs(specs) do
    if spec[8] == '' or not redis.call('HGET', keys.unique, spec[8]) then
        new_jobs[wanted.owner] = (new_jobs[wanted.owner] or 0) + 1
    end
end
local refusal = too_many(new_jobs, meta('open_jobs') + (new_jobs[wanted.owner] or 0))
if refusal then return refuse(CONFLICT, refusal) end
local request = #wanted.owner .. ':' .. wanted.owner .. ':' .. wanted.request_key
if wanted.request_key ~= '' and redis.call('HEXISTS', keys.requests, request) == 1 then
    return refuse(CONFLICT, 'Idempotency key already used')
end

local id = next_id()
if wanted.request_key ~= '' then
    redis.call('HSET', keys.requests, request, id)
    redis.call('HSET', keys.facts, id .. ':request', request)
end
redis.call('HSET', keys.facts, id .. ':name', wanted.name, id .. ':options', wanted.options)
if #wanted.closing > 0 then redis.call('HSET', keys.facts, id .. ':closing', cmsgpack.pack(wanted.closing)) end
if wanted.notice then redis.call('HSET', keys.facts, id .. ':notice', cmsgpack.pack(wanted.notice)) end
redis.call('ZADD', keys.group_ids, id, id)
redis.call('ZADD', keys.open_groups, id, id)
redis.call('ZADD', keys.groups_of(wanted.owner), id, id)
local group = {
    state = PAUSED, owner = wanted.owner, priority = wanted.priority, company = wanted.company,
    page_limit = wanted.page_limit, url_limit = wanted.url_limit, collection = wanted.collection, site = wanted.site,
    index_pages = wanted.index_pages, private = wanted.private, has_closing = #wanted.closing > 0 and 1 or 0,
    has_notice = wanted.notice and 1 or 0, kind = wanted.kind, created = now, started = 0, finished = 0, last_id = 0,
    turn = 0, url_turn = 0, host_turn = 0, left = 0, jobs_open = 0, discovered = 0, queued = 0, running = 0, completed = 0,
    failed = 0, skipped = 0, unchanged = 0, duplicates = 0, gone = 0, not_admitted = 0, removed = 0, bytes = 0,
    fetch_us = 0, extract_us = 0, keep = wanted.keep, keep_failed = wanted.keep_failed, page_keeping = wanted.page_keeping,
    request_id = wanted.request_id,
}
groups.put(id, group)
groups.get(id)  -- as it is now: nothing of it has been counted yet
set_group_state(id, group, QUEUED)
for _, spec in ipairs(specs) do
    spec[9], spec[10] = wanted.owner, id
    insert_job(spec)
end
admit(id, group, seeds)
settle()
return answer(id)
