-- Counts of jobs and URLs by state, kind and collection, for all of the store.
return answer(redis.call('HGETALL', keys.counts))
