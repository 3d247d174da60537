-- A sentence if an owner, or all together, would have too many open jobs.
local function too_many(new_jobs, in_all)
    for name, count in pairs(new_jobs) do
        local owner = owner_of(name)
        local limit = limit_of(owner, 'open_jobs_limit')
        if owner.open_jobs + count > limit then
            return string.format('%s has %d open jobs and may have %d: try again when some have ended', name,
                                 owner.open_jobs, limit)
        end
    end
    if in_all > limits.max_open_jobs then
        return string.format('the queue is full: it has %d open jobs and takes %d; try again later', meta('open_jobs'),
                             limits.max_open_jobs)
    end
end
