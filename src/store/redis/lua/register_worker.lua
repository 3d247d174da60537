-- Asked: a worker's name. Answers its id.
local id = next_id()
redis.call('HSET', keys.worker_names, id, input)
redis.call('ZADD', keys.workers, now, id)
return answer(id)
