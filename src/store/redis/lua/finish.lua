-- Makes outcomes true, each whole. Asked: what has begun, and lists of id, token, outcome. Answers their verdicts.
note_begun(input[1])
local verdicts, ids = {}, {}
for index, entry in ipairs(input[2]) do ids[index] = entry[1] end
leases.fetch(ids)
jobs.fetch(ids)
for index, entry in ipairs(input[2]) do
    local id, lease = entry[1], leases.get(entry[1])
    local verdict = verdict_on(id, entry[2], lease)
    if verdict == APPLIED then
        remove_lease(id, lease)
        local values = entry[3]
        local outcome = {
            how = values[1], status = values[2] or 0, final_url = values[3] or '', canonical = values[4] or '',
            found = values[5] or {}, jobs = values[6] or {}, roots = values[7] or {}, hosts = values[8] or {},
            fetch_us = values[9] or 0, extract_us = values[10] or 0, kept = values[11] or {0, 0, 0, 0, 0, 0},
        }
        if is_url(lease) then finish_url(id, lease, outcome) else finish_job(id, lease, outcome) end
    end
    verdicts[index] = verdict
end
settle()
return answer(verdicts)
