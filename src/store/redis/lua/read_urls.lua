-- URLs of a group in order of discovery. Asked: group, states, why skipped (-1 for any), the id to go on after, how many.
-- Answers URLs, and the id to go on after.
local group_id, states, skipped, after, count = input[1], set_of(input[2]), input[3], input[4], input[5]
local group = groups.get(group_id)
if not group then return answer({{}, 0}) end
local ids = list_after(keys.group_order(group_id), after, most_examined)
urls.fetch(ids)
leases.fetch(ids)
local found, last = {}, 0
for _, text in ipairs(ids) do
    local id = tonumber(text)
    local url = urls.get(id)
    if url then
        local state, why = url.state, url.skipped
        -- When a group is over, the rows that still wait are left as they are.
        if state == URL.QUEUED and is_over(group) then
            state = group.state == CANCELLED and URL.CANCELLED or URL.SKIPPED
            if state == URL.SKIPPED then why = 7 end  -- SkipReason::limit
        elseif state == URL.QUEUED and leases.get(id) then
            state = URL.RUNNING
        end
        if (not states or states[state]) and (skipped < 0 or why == skipped) then
            found[#found + 1] = {
                id, url.url, url.final_url, url.depth, url.source, state, why, url.status, url.attempts, url.stalls, url.note,
                url.run_at, url.finished, url.content, url.error,
            }
            if #found == count then return answer({found, id}) end
        end
    end
end
if #ids == most_examined then last = tonumber(ids[#ids]) end
return answer({found, last})
