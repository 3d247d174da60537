-- Cancels, pauses, resumes, fails or reprioritises a group. Asked: what, the group, a reason or priority. Answers 1, or 0
-- if it must be called again: it is over, but some of its jobs are yet to be ended.
local what, id, argument = input[1], input[2], input[3]
if what == 'go_on' then
    local is_done = end_jobs_of(id)
    settle()
    return answer(is_done and 1 or 0)
end
local code, message = closed_group(id)
if what == 'index' and code ~= NOT_FOUND then
    groups.get(id).index_pages = 1
    groups.touch(id)
    return answer(1)
end
if code then return refuse(code, message) end
local group = groups.get(id)
local is_done = true

if what == 'cancel' or what == 'fail' then
    is_done = end_jobs_of(id)
    group.queued = group.queued + group.running
    group.running, group.jobs_open = 0, 0
    if what == 'cancel' then
        -- Rows of URLs stay as they are; the difference to `discovered` is what was cancelled.
        group.left = group.queued
        group.queued = 0
    else
        skip_the_rest(group)
        redis.call('HSET', keys.facts, id .. ':error', argument)
    end
    end_group(id, group, what == 'cancel' and CANCELLED or FAILED)
elseif what == 'pause' then
    if group.state ~= PAUSED then set_group_state(id, group, PAUSED) end
elseif what == 'resume' then
    if group.state == PAUSED then set_group_state(id, group, QUEUED) end
elseif what == 'reprioritise' then
    group.priority = argument
    if group.state == QUEUED then redis.call('ZADD', keys.waiting(group.owner), argument, id) end
    local members = redis.call('ZRANGE', keys.group_jobs(id), 0, -1)
    jobs.fetch(members)
    for _, text in ipairs(members) do
        local job_id = tonumber(text)
        local job = jobs.get(job_id)
        if job and job.finished == 0 then
            local is_leased = leases.get(job_id)
            if not is_leased then take_out_of_line(job_id, job) end
            job.priority = argument
            jobs.touch(job_id)
            if not is_leased then put_in_line(job_id, job) end
        end
    end
    groups.touch(id)
    reconsider(group.owner)
end
settle()
return answer(is_done and 1 or 0)
