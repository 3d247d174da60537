-- The newest groups first. Asked: an id (0 for a list), owner, kind, states, before (0 for all), how many. Answers groups,
-- and the id to go on before (0 at the end).
local wanted, owner, kind, states, before, count = input[1], input[2], input[3], set_of(input[4]), input[5], input[6]
local function view(id, group)
    local facts = redis.call('HMGET', keys.facts, id .. ':name', id .. ':options', id .. ':error')
    return {
        id, group.kind, facts[1] or '', facts[2] or '', group.collection, group.owner, group.state, group.priority, group.company,
        group.page_limit, group.index_pages, redis.call('LRANGE', keys.group_roots(id), 0, -1), facts[3] or '', group.created,
        group.started, group.finished, group.jobs_open, group.discovered, group.queued, group.running, group.completed,
        group.failed, group.skipped, group.unchanged, group.duplicates, group.gone, group.not_admitted, group.removed,
        group.bytes, group.fetch_us, group.extract_us, group.site, group.private, group.keep, group.keep_failed,
        group.page_keeping, group.request_id,
    }
end
if wanted ~= 0 then
    local group = groups.get(wanted)
    return answer({group and {view(wanted, group)} or {}, 0})
end
local key = owner ~= '' and keys.groups_of(owner) or keys.group_ids
local function is_only_open()
    if not states then return false end
    return not (states[COMPLETED] or states[FAILED] or states[CANCELLED])
end
if owner == '' and is_only_open() then key = keys.open_groups end
local from = before ~= 0 and string.format('(%.0f', before) or '+inf'
local ids = redis.call('ZREVRANGEBYSCORE', key, from, '-inf', 'LIMIT', 0, 500)
groups.fetch(ids)
local found, last = {}, 0
for _, text in ipairs(ids) do
    local id = tonumber(text)
    local group = groups.get(id)
    if group and (not states or states[group.state]) and (kind == '' or group.kind == kind) then
        found[#found + 1] = view(id, group)
        if #found == count then break end
    end
end
if #found < count and #ids == 500 then last = tonumber(ids[500]) end
return answer({found, last})
