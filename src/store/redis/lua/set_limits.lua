-- Asked: an owner's name and its limits.
local owner = owner_of(input[1])
owner.limited = 1
owner.running_jobs_limit, owner.running_groups_limit, owner.open_jobs_limit = input[2], input[3], input[4]
owner.requests_per_minute, owner.pages_per_month, owner.stored_bytes = input[5], input[6], input[7]
owners.touch(input[1])
owners_with_room[input[1]] = true
reconsider(input[1])
wakes = 1
settle()
return answer(1)
