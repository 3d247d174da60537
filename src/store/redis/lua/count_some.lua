-- The same for a filter, row by row, some at a time. Asked: filter, the id to go on after. Answers the names of counts and
-- their values, and the id to go on after.
local found, last = select_some(input[1], input[2], most_examined + 1)
local sums, names = {}, {}
for _, entry in ipairs(found) do
    local name = entry.state .. '\n' .. entry.kind .. '\n' .. entry.collection
    if not sums[name] then names[#names + 1] = name end
    sums[name] = (sums[name] or 0) + 1
end
local flat = {}
for _, name in ipairs(names) do
    flat[#flat + 1] = name
    flat[#flat + 1] = sums[name]
end
return answer({flat, last})
