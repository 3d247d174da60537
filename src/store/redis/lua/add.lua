-- Adds jobs, all or none. Asked: the schedule that adds them or nothing (schedules.lua), specs (jobs.lua). Answers pairs of
-- id and whether it was there already.
local schedule = input[1]
if not is_its_time(schedule) then return answer({}) end
input = input[2]
local new_jobs, in_all = {}, meta('open_jobs')
for _, spec in ipairs(input) do
    if spec[10] ~= 0 then
        local code, message = closed_group(spec[10])
        if code then return refuse(code, message) end
    end
end
for _, spec in ipairs(input) do
    if spec[8] == '' or not redis.call('HGET', keys.unique, spec[8]) then
        local group = open_group(spec[10])
        local name = group and group.owner or spec[9]
        new_jobs[name] = (new_jobs[name] or 0) + 1
        in_all = in_all + 1
    end
end
local refusal = too_many(new_jobs, in_all)
-- Limits do not refuse what a schedule adds: it has nobody to tell.
if refusal and not schedule then return refuse(CONFLICT, refusal) end
local added = {}
for _, spec in ipairs(input) do
    local id, existed = insert_job(spec)
    added[#added + 1] = id
    added[#added + 1] = existed
end
settle()
return answer(added)
