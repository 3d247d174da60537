-- Makes outcomes true, each whole. Asked: what has begun; jobs that are completed and nothing else, as id (a text), token
-- and result in turn; the others as lists of id, token, outcome. Answers the verdicts of all in this order; APPLIED_QUIETLY
-- is one whose event the caller makes.
local APPLIED_QUIETLY = 4
local verdicts = {}

-- Jobs of no group, as most are, are ended by their texts. What needs more than that is left without a verdict.
local function end_by_text(plain)
    local ids = {}
    for index = 1, #plain, 3 do ids[#ids + 1] = plain[index] end
    if #ids == 0 then return end
    local lease_texts = redis.call('HMGET', keys.leases, unpack(ids))
    local job_texts = redis.call('HMGET', keys.jobs, unpack(ids))
    local ended_at = string.format('%.0f', now)  -- Redis takes its time to write a number
    local ended, by_owner, by_kind, seen, held = 0, {}, {}, {}, {}
    for index, id in ipairs(ids) do
        local lease, job = lease_texts[index], job_texts[index]
        if lease and job and not seen[id] then
            local token, worker, group, _, _, at, owner = struct.unpack(LEASE, lease)
            local _, _, _, _, _, private, start_by, deadline, _, kind, _, unique = struct.unpack(JOB_HEAD, job)
            if token == plain[index * 3 - 1] and group + private + start_by + deadline == 0 and unique == '' then
                seen[id] = true
                later('HDEL', keys.leases, id)
                held[worker] = held[worker] or keys.held_by(worker)
                later('SREM', held[worker], id)
                later('HSET', keys.jobs, id, struct.pack(JOB_END, COMPLETED, 0, at, now, token) .. job:sub(JOB_END_BYTES + 1))
                later('ZADD', keys.ended_completed, ended_at, id)
                if plain[index * 3] ~= '' then later('HSET', keys.results, id, plain[index * 3]) end
                by_owner[owner] = (by_owner[owner] or 0) + 1
                by_kind[kind] = (by_kind[kind] or 0) + 1
                ended = ended + 1
                verdicts[index] = APPLIED_QUIETLY
            end
        end
    end
    sync(keys.leases)
    sync(keys.jobs)
    set_meta('open_jobs', meta('open_jobs') - ended)
    for name, count in pairs(by_owner) do
        local owner = owner_of(name)
        owner.running_jobs, owner.open_jobs = owner.running_jobs - count, owner.open_jobs - count
        owners.touch(name)
        owners_with_room[name] = true
    end
    for kind, count in pairs(by_kind) do
        count_jobs(kind, RUNNING, -count)
        count_jobs(kind, COMPLETED, count)
    end
end

local function finish_one(id, token, values)
    local lease = leases.get(id)
    local verdict = verdict_on(id, token, lease)
    if verdict ~= APPLIED then return verdict end
    remove_lease(id, lease)
    local outcome = {
        how = values[1], status = values[2] or 0, final_url = values[3] or '', canonical = values[4] or '',
        found = values[5] or {}, jobs = values[6] or {}, roots = values[7] or {}, hosts = values[8] or {},
        fetch_us = values[9] or 0, extract_us = values[10] or 0, kept = values[11] or {0, 0, 0, 0, 0, 0},
    }
    if is_url(lease) then finish_url(id, lease, outcome) else finish_job(id, lease, outcome) end
    return verdict
end

local plain, others = input[2], input[3]
end_by_text(plain)
note_begun(input[1])
local plain_count, ids = #plain / 3, {}
for index = 1, plain_count do
    if not verdicts[index] then ids[#ids + 1] = plain[index * 3 - 2] end
end
for _, entry in ipairs(others) do ids[#ids + 1] = entry[1] end
leases.fetch(ids)
jobs.fetch(ids)
for index = 1, plain_count do
    if not verdicts[index] then
        verdicts[index] = finish_one(tonumber(plain[index * 3 - 2]), plain[index * 3 - 1], {{0, plain[index * 3]}})
    end
end
for index, entry in ipairs(others) do verdicts[plain_count + index] = finish_one(entry[1], entry[2], entry[3]) end
settle()
return answer(verdicts)
