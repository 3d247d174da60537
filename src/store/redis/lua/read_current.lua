-- The URLs of a group that are being fetched, the newest first. Asked: group, how many.
local ids = redis.call('SRANDMEMBER', keys.group_leases(input[1]), 1000)
leases.fetch(ids)
local found = {}
for _, text in ipairs(ids) do
    local lease = leases.get(text)
    if lease and is_url(lease) then found[#found + 1] = {at = lease.at, id = tonumber(text)} end
end
table.sort(found, function(left, right)
    if left.at ~= right.at then return left.at > right.at end
    return left.id < right.id
end)
local names = {}
for index = 1, math.min(#found, input[2]) do
    local url = urls.get(found[index].id)
    if url then names[#names + 1] = url.url end
end
return answer(names)
