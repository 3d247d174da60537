-- Cancels, pauses, resumes, retries, clears or reprioritises jobs and URLs, some at a time. Asked: what, filter, the id to
-- go on after, priority. Answers how many were changed, the id to go on after (0 at the end), and whether known URLs were
-- forgotten.
local what, filter, priority = input[1], input[2], input[4]
local forgotten = 0
local change_job, change_url = {}, {}

function change_job.cancel(id, job, entry)
    if entry.lease then revoke(id, entry.lease) else take_out_of_line(id, job) end
    end_job(id, job, entry.state, CANCELLED, {started = entry.lease and entry.lease.at or 0})
    return true
end
local function set_state(id, job, state)
    count_job(job, job.state, -1)
    count_job(job, state, 1)
    if state ~= QUEUED then take_out_of_line(id, job) end
    job.state = state
    jobs.touch(id)
    put_in_line(id, job)
    return true
end
function change_job.pause(id, job) return set_state(id, job, PAUSED) end
function change_job.resume(id, job) return set_state(id, job, QUEUED) end
function change_job.reprioritise(id, job)
    take_out_of_line(id, job)
    job.priority = priority
    jobs.touch(id)
    put_in_line(id, job)
    return true
end
function change_job.clear(id, job)
    remove_job(id, job)
    return true
end
function change_job.retry(id, job)
    if job.group ~= 0 and not reopen_group(job.group) then return false end
    if job.unique ~= '' then
        sync(keys.unique)
        if redis.call('HSETNX', keys.unique, job.unique, id) == 0 then return false end
    end
    local ended = ended_key(job)
    if ended then later('ZREM', ended, id) end
    later('ZREM', keys.failed, id)
    later('HDEL', keys.results, id)
    count_job(job, job.state, -1)
    count_job(job, QUEUED, 1)
    job.state, job.attempts, job.stalls, job.finished, job.token, job.run_at = QUEUED, 0, 0, 0, 0, 0
    job.start_by, job.deadline, job.progress, job.snoozes = 0, 0, 0, 0
    jobs.touch(id)
    count_open_job(job, 1)
    take_turn(job)
    put_in_line(id, job)
    return true
end

function change_url.cancel(id, url, entry)
    if entry.lease then revoke(id, entry.lease) else take_url_out_of_line(id, url) end
    end_url(id, url, entry.lease and URL.RUNNING or URL.QUEUED, URL.CANCELLED, {})
    return true
end
-- A URL that never had its turn in a crawl that is over waits again once the crawl is open again.
function change_url.retry(id, url)
    local group = reopen_group(url.group)
    if not group then return false end
    if url.state == URL.QUEUED then return true end
    count_url(group, url.state, url.status, -1)
    count_url(group, URL.QUEUED, 0, 1)
    url.state, url.attempts, url.stalls, url.skipped, url.finished, url.token, url.error, url.run_at =
        URL.QUEUED, 0, 0, 0, 0, 0, -1, 0
    url.snoozes = 0
    urls.touch(id)
    put_url_in_line(id, url)
    return true
end
function change_url.clear(id, url)
    take_url_out_of_line(id, url)
    later('HDEL', keys.group_known(url.group), url.key)
    urls.remove(id)
    forgotten = 1
    local group = open_group(url.group)
    if group then
        count_url(group, url.state, url.status, -1)
        group.discovered = group.discovered - 1
        groups.touch(url.group)
    end
    return true
end

local changed = 0
local found, last = select_some(filter, input[3], most_examined)
for _, entry in ipairs(found) do
    local change = (entry.is_url and change_url or change_job)[what]
    if change and change(entry.id, entry.row, entry) then changed = changed + 1 end
end
settle()
return answer({changed, last, forgotten})
