-- Looks at leases before their pages are kept elsewhere: a conflict writes nothing. Asked: lists of id, token, canonical
-- key ("" for none). Answers for each its verdict (finishing.lua, or 3: a copy of a URL that the group knows), its group,
-- its URL and the URL's key; then the groups.
local checked, seen, facts = {}, {}, {}
for index, entry in ipairs(input) do
    local id, lease = entry[1], leases.get(entry[1])
    local verdict = verdict_on(id, entry[2], lease)
    local url = verdict == APPLIED and is_url(lease) and urls.get(id) or nil
    if verdict == APPLIED and url and is_copy(id, lease.group, entry[3]) then verdict = 3 end
    local group_id = lease and lease.group or 0
    checked[index] = {verdict, group_id, url and url.url or '', url and url.key or ''}
    local group = open_group(group_id)
    if verdict == APPLIED and group and not seen[group_id] then
        seen[group_id] = true
        facts[#facts + 1] = {
            group_id, group.kind, redis.call('HGET', keys.facts, group_id .. ':name') or '', group.collection, group.owner,
            group.site, group.index_pages, group.private, group.priority, group.created, group.keep, group.keep_failed,
            group.page_keeping, group.request_id,
        }
    end
end
return answer({checked, facts})
