-- How leases end by their outcomes.
local APPLIED, ALREADY_APPLIED, LEASE_LOST = 0, 1, 2

local function verdict_on(id, token, lease)
    if lease and lease.token == token and (lease.group == 0 or open_group(lease.group)) then return APPLIED end
    -- If it was this very outcome that ended it, its answer was lost on the way.
    local row = jobs.get(id) or urls.get(id)
    if row and row.token == token then return ALREADY_APPLIED end
    return LEASE_LOST
end

-- True if the group has another URL of that key. If it has none, the key becomes another name of this one.
local function is_copy(id, group_id, canonical)
    if canonical == '' then return false end
    local key = keys.group_known(group_id)
    sync(key)
    local known = redis.call('HGET', key, canonical)
    if known then return known ~= tostring(id) end
    redis.call('HSET', key, canonical, id)
    admitted[#admitted + 1] = {group_id, canonical}
    return false
end

local function add_roots(group_id, roots)
    if #roots == 0 then return end
    local known = {}
    for _, root in ipairs(redis.call('LRANGE', keys.group_roots(group_id), 0, -1)) do known[root] = true end
    for _, root in ipairs(roots) do
        if not known[root] then redis.call('RPUSH', keys.group_roots(group_id), root) end
        known[root] = true
    end
end

-- `kept`: what the content store said: content, unchanged, duplicates, bytes, removed, and whether it must be fetched
-- again.
local function apply_effects(group_id, outcome)
    local group, kept = open_group(group_id), outcome.kept
    if group then
        admit(group_id, group, outcome.found)
        add_roots(group_id, outcome.roots)
        group.unchanged = group.unchanged + kept[2]
        group.duplicates = group.duplicates + kept[3]
        group.bytes = group.bytes + kept[4]
        group.removed = group.removed + kept[5]
        groups.touch(group_id)
    end
    for _, spec in ipairs(outcome.jobs) do
        -- A job for a group that is over would never run.
        if spec[10] == 0 or open_group(spec[10]) then insert_job(spec) end
    end
    for _, rule in ipairs(outcome.hosts) do set_host_rule(rule) end
end

-- Ends are lists: 0 result | 1 error, not before, code | 2 error, code | 3 until, reason | 4 reason, note.
local function job_again(id, job, run_at, error)
    count_job(job, RUNNING, -1)
    count_job(job, job.state, 1)
    job.run_at = run_at
    if error ~= '' then job.error = error end
    jobs.touch(id)
    take_turn(job)
    put_in_line(id, job)
end
local function finish_job(id, lease, outcome)
    local job, how = jobs.get(id), outcome.how
    if not job then return end
    apply_effects(lease.group, outcome)
    local function ended(state, facts)
        facts.started, facts.token = lease.at, lease.token
        end_job(id, job, RUNNING, state, facts)
    end
    if how[1] == 0 then return ended(COMPLETED, {result = how[2]}) end
    if how[1] == 3 then
        job.snoozes = job.snoozes + 1
        if job.snoozes > limits.max_snoozes then
            return ended(FAILED, {error = how[3] ~= '' and how[3] or why_ended.put_off})
        end
        return job_again(id, job, how[2], how[3])
    end
    -- Only URLs are skipped; a job that says so has nothing to do.
    if how[1] == 4 then return ended(COMPLETED, {result = how[3]}) end
    job.attempts, job.snoozes = job.attempts + 1, 0
    if how[1] == 2 or job.attempts >= job.max_attempts then return ended(FAILED, {error = how[2]}) end
    job_again(id, job, how[3], how[2])
end

local function url_again(id, url, group, outcome, run_at, note)
    if outcome.status ~= 0 then url.status = outcome.status end
    url.run_at = run_at > now and run_at or 0
    if note ~= '' then url.note = note end
    urls.touch(id)
    group.running = group.running - 1
    group.queued = group.queued + 1
    put_url_in_line(id, url)
end
local function finish_url(id, lease, outcome)
    local url, group, how = urls.get(id), open_group(lease.group), outcome.how
    if not url or not group then return end
    group.fetch_us = group.fetch_us + outcome.fetch_us
    group.extract_us = group.extract_us + outcome.extract_us
    if how[1] == 0 and is_copy(id, lease.group, outcome.canonical) then
        how = {4, 4, ''}  -- SkipReason::canonical
    elseif outcome.kept[6] == 1 then
        how = {1, 'the server says that the page has not changed, but none is stored', now, 4}  -- ErrorCode::unavailable
    end
    apply_effects(lease.group, outcome)
    local facts = {
        token = lease.token, status = outcome.status, final_url = outcome.final_url, content = outcome.kept[1],
    }
    if how[1] == 0 then return end_url(id, url, URL.RUNNING, URL.COMPLETED, facts) end
    if how[1] == 3 then
        url.snoozes = url.snoozes + 1
        if url.snoozes <= limits.max_snoozes then return url_again(id, url, group, outcome, how[2], how[3]) end
        how = {2, how[3] ~= '' and how[3] or why_ended.put_off, 4}
    end
    if how[1] == 4 then
        facts.skipped, facts.note = how[2], how[3]
        return end_url(id, url, URL.RUNNING, URL.SKIPPED, facts)
    end
    url.attempts, url.snoozes = url.attempts + 1, 0
    facts.note, facts.error = how[2], how[1] == 1 and how[4] or how[3]
    if how[1] == 2 or url.attempts >= limits.url_attempts then return end_url(id, url, URL.RUNNING, URL.FAILED, facts) end
    url_again(id, url, group, outcome, how[3], how[2])
end
