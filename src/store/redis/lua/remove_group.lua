-- Removes a group that is over with all that is of it, some at a time. Asked: the group. Answers 1 when nothing is left.
local id = input
local code = closed_group(id)
if not code then return refuse(CONFLICT, 'the group is not over') end
if code == NOT_FOUND then return refuse(NOT_FOUND, 'there is no such group') end
local function go_on()
    settle()
    return answer(0)
end
if not end_jobs_of(id) then return go_on() end
sync_all()

local members = redis.call('ZRANGE', keys.group_jobs(id), 0, 299)
jobs.fetch(members)
for _, text in ipairs(members) do
    local job = jobs.get(text)
    if job then remove_job(tonumber(text), job) else later('ZREM', keys.group_jobs(id), text) end
end
if #members > 0 then return go_on() end

local order = keys.group_order(id)
local found = redis.call('LRANGE', order, 0, 299)
for _, text in ipairs(found) do
    local url = urls.get(text)
    if url then
        take_url_out_of_line(tonumber(text), url)
        urls.remove(text)
    end
end
if #found > 0 then
    redis.call('LTRIM', order, #found, -1)
    return go_on()
end

local group = groups.get(id)
count_urls(id, group.collection, url_counts_of(group), {[QUEUED] = 0, [RUNNING] = 0, [COMPLETED] = 0, [FAILED] = 0, [CANCELLED] = 0})
local request = redis.call('HGET', keys.facts, id .. ':request')
if request then redis.call('HDEL', keys.requests, request) end
for _, name in ipairs({'name', 'options', 'closing', 'notice', 'request', 'error'}) do
    redis.call('HDEL', keys.facts, id .. ':' .. name)
end
redis.call('UNLINK', keys.group_known(id), keys.group_hosts(id), keys.group_roots(id), keys.group_held(id), keys.group_leases(id))
redis.call('ZREM', keys.group_ids, id)
redis.call('ZREM', keys.ended_groups, id)
redis.call('ZREM', keys.ended_private, id)
redis.call('ZREM', keys.expiring, id)
redis.call('ZREM', keys.groups_of(group.owner), id)
redis.call('SREM', keys.frontier, id)
redis.call('SREM', keys.unfinished, id)
groups.remove(id)
save_all()
return {now, wakes, events, admitted, 0, 1}
