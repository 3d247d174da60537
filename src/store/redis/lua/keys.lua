-- What every script is given, and the keys: all of them begin with the prefix. Scripts reach keys that they are not
-- told of beforehand, so Redis Cluster cannot be used.
--
-- ARGV: the prefix; the time in milliseconds, or "" for the server's own; the limits; what the script is asked.
local prefix = ARGV[1]
local time = redis.call('TIME')
local now = ARGV[2] ~= '' and tonumber(ARGV[2]) or time[1] * 1000 + math.floor(time[2] / 1000)
local limits = cmsgpack.unpack(ARGV[3])
local input = cmsgpack.unpack(ARGV[4])

local keys = {
    ids = prefix .. 'ids',                          -- the last id; ids are 2^40 and more, apart from those of the content store
    tokens = prefix .. 'tokens',                    -- the last token
    meta = prefix .. 'meta',                        -- hash: turn (virtual time of jobs), url_turns, open_jobs
    jobs = prefix .. 'jobs',                        -- hash: id -> job (records.lua), open or ended
    payloads = prefix .. 'payloads',                -- hash: id -> payload
    results = prefix .. 'results',                  -- hash: id -> result
    job_ids = prefix .. 'job_ids',                  -- sorted set: every job by id
    failed = prefix .. 'failed',                    -- sorted set: failed and cancelled jobs by id
    unique = prefix .. 'unique',                    -- hash: unique key -> id of the open job that has it
    counts = prefix .. 'counts',                    -- hash: state, kind and collection -> number of jobs
    delayed = prefix .. 'delayed',                  -- sorted set: j<id> and u<id> by when they are due
    starts = prefix .. 'starts',                    -- sorted set: jobs by start_by
    deadlines = prefix .. 'deadlines',              -- sorted set: jobs by deadline
    ended_completed = prefix .. 'ended:completed',  -- sorted sets: jobs without group by when they ended
    ended_failed = prefix .. 'ended:failed',
    ended_zero = prefix .. 'ended:zero',            -- those that must not be kept, with or without group
    leases = prefix .. 'leases',                    -- hash: id -> lease (records.lua), of jobs and URLs
    workers = prefix .. 'workers',                  -- sorted set: workers that live, by their last beat
    dead_workers = prefix .. 'dead_workers',        -- sorted set: workers that are silent, by their last beat
    worker_names = prefix .. 'worker_names',        -- hash: id -> name, of all that are not forgotten
    owners = prefix .. 'owners',                    -- hash: name -> owner (records.lua)
    waiting_owners = prefix .. 'waiting_owners',    -- set: owners with groups that wait
    groups = prefix .. 'groups',                    -- hash: id -> group (records.lua)
    facts = prefix .. 'facts',                      -- hash: id -> what of a group is rarely needed
    group_ids = prefix .. 'group_ids',              -- sorted set: every group by id
    open_groups = prefix .. 'open_groups',          -- sorted set: those that are not over, by id
    running_groups = prefix .. 'running_groups',    -- set
    ended_groups = prefix .. 'ended_groups',        -- sorted sets: by when they ended
    ended_private = prefix .. 'ended_private',
    expiring = prefix .. 'expiring',                -- sorted set: those that have a time of their own, by when it is over
    unfinished = prefix .. 'unfinished',            -- set: groups with jobs that are yet to be put in line or cancelled
    requests = prefix .. 'requests',                -- hash: owner and request key -> group
    frontier = prefix .. 'frontier',                -- set: running groups that have URLs to give
    urls = prefix .. 'urls',                        -- hash: id -> URL (records.lua)
    host_names = prefix .. 'host_names',            -- hash: name -> id
    hosts = prefix .. 'hosts',                      -- hash: id -> host (records.lua)
    schedules = prefix .. 'schedules',              -- hash: name -> schedule as JSON
    schedule_times = prefix .. 'schedule_times',    -- sorted set: names by when they are due
}
-- Keys of one thing.
function keys.ready(kind) return prefix .. 'ready:' .. kind end                      -- sorted set: by priority and turn
function keys.claims(kind) return prefix .. 'claims:' .. kind end                    -- how many jobs were claimed
function keys.backlog(owner, kind) return prefix .. 'backlog:' .. #owner .. ':' .. owner .. ':' .. kind end
function keys.backlogs(owner) return prefix .. 'backlogs:' .. owner end              -- set: the kinds it has
function keys.waiting(owner) return prefix .. 'waiting:' .. owner end                -- sorted set: groups by priority
function keys.groups_of(owner) return prefix .. 'groups_of:' .. owner end            -- sorted set: its groups by id
function keys.usage(owner) return prefix .. 'usage:' .. owner end                    -- hash: day -> pages
function keys.held_by(worker) return prefix .. 'worker:' .. worker .. ':leases' end  -- set: ids
function keys.lost(worker) return prefix .. 'worker:' .. worker .. ':lost' end       -- set: ids taken away
function keys.last_lease(worker) return prefix .. 'worker:' .. worker .. ':last' end -- hash: its last call, what it gave
function keys.group_jobs(group) return prefix .. 'group:' .. group .. ':jobs' end    -- sorted set: by id
function keys.group_held(group) return prefix .. 'group:' .. group .. ':held' end    -- sorted set: jobs that wait for it
function keys.group_leases(group) return prefix .. 'group:' .. group .. ':leases' end -- set: ids
function keys.group_order(group) return prefix .. 'group:' .. group .. ':urls' end   -- list: ids in order of discovery
function keys.group_known(group) return prefix .. 'group:' .. group .. ':known' end  -- hash: key of 16 bytes -> id
function keys.group_roots(group) return prefix .. 'group:' .. group .. ':roots' end  -- list
function keys.group_hosts(group) return prefix .. 'group:' .. group .. ':hosts' end  -- sorted set: hosts by their turn
function keys.lane(group, host) return prefix .. 'group:' .. group .. ':host:' .. host end -- sorted set: URLs by priority

-- Changes of one kind to one key are gathered into one command. A change of another kind, or sync(), sends what was
-- gathered before it, so that every key sees its changes in order.
local gathered, gathered_order = {}, {}
local most_arguments = 4000
local function sync(key)
    local batch = gathered[key]
    if not batch then return end
    gathered[key] = nil
    for first = 1, #batch.arguments, most_arguments do
        redis.call(batch.command, key, unpack(batch.arguments, first, math.min(first + most_arguments - 1, #batch.arguments)))
    end
end
-- The arguments gathered for one command, to be added to as long as nothing else is done to the key.
local function gather(command, key)
    local batch = gathered[key]
    if batch and batch.command ~= command then
        sync(key)
        batch = nil
    end
    if not batch then
        batch = {command = command, arguments = {}}
        gathered[key] = batch
        gathered_order[#gathered_order + 1] = key
    end
    return batch.arguments
end
local function later(command, key, first, second)
    local arguments = gather(command, key)
    arguments[#arguments + 1] = first
    if second ~= nil then arguments[#arguments + 1] = second end
end
local function sync_all()
    for index = 1, #gathered_order do sync(gathered_order[index]) end
    gathered_order = {}
end
