-- Gives leases back at no cost. Asked: pairs of id and token.
for index = 1, #input, 2 do
    local id = input[index]
    local lease = leases.get(id)
    if lease and lease.token == input[index + 1] then take_back(id, lease, false) end
end
settle()
return answer(1)
