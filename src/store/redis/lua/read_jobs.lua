-- Asked: filter, the id to go on after, how many, whether with payloads. Answers jobs, and the id to go on after.
local found, last = select_some(input[1], input[2], input[3])
local rows = {}
for index, entry in ipairs(found) do
    local row, lease, payload, result = entry.row, entry.lease, '', ''
    if input[4] == 1 and not entry.is_url then
        payload = redis.call('HGET', keys.payloads, entry.id) or ''
        result = redis.call('HGET', keys.results, entry.id) or ''
    end
    local worker, started = lease and lease.worker or 0, lease and lease.at or 0
    if entry.is_url then
        rows[index] = {
            entry.id, entry.kind, entry.state, entry.group.priority, row.attempts, limits.url_attempts, row.stalls, 0,
            entry.owner, row.group, '', row.note, worker, entry.group.created, row.run_at, started, row.finished, 0, 0, '', '',
            row.url,
        }
    else
        local progress = row.finished == 0 and row.progress or (row.state == COMPLETED and 100 or 0)
        rows[index] = {
            entry.id, entry.kind, entry.state, row.priority, row.attempts, row.max_attempts, row.stalls, progress, row.owner,
            row.group, row.unique, row.error, worker, row.created, row.run_at, lease and started or row.started, row.finished,
            row.finished == 0 and row.start_by or 0, row.deadline, payload, result, '',
        }
    end
end
return answer({rows, last})
