-- Asked: an owner's name, a day. Answers its limits (empty if it has none of its own), and its pages by day from then on.
local owner, days = owners.get(input[1]), {}
local usage = redis.call('HGETALL', keys.usage(input[1]))
for index = 1, #usage, 2 do
    if tonumber(usage[index]) >= input[2] then days[#days + 1] = {tonumber(usage[index]), tonumber(usage[index + 1])} end
end
table.sort(days, function(left, right) return left[1] < right[1] end)
local own = {}
if owner and owner.limited == 1 then
    own = {
        owner.running_jobs_limit, owner.running_groups_limit, owner.open_jobs_limit, owner.requests_per_minute,
        owner.pages_per_month, owner.stored_bytes,
    }
end
return answer({own, days})
