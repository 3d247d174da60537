// How values of the store are said to scripts, and what scripts answer is read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/redis/redis_value.h"
#include "store/reader.h"
#include "store/redis/message.h"
#include "store/store.h"

namespace quarry::store::redis {

// The 16 bytes of a URL's key, and the way back.
std::string bytes_of(const UrlKey& key);
UrlKey key_of_bytes(std::string_view bytes);

void add_limits(Message& message, const StoreLimits& limits);
void add_jobs(Message& message, std::span<const NewJob> jobs);
void add_urls(Message& message, std::span<const FoundUrl> urls);
void add_group(Message& message, const NewGroup& group);
void add_filter(Message& message, const JobFilter& filter);

// Whether an outcome ends its job as completed and says nothing else: many of those are one step.
bool only_completes(const Outcome& outcome);
// An outcome, and what the content store said of its pages.
void add_outcome(Message& message, const Outcome& outcome, const Visited& kept);

std::optional<Timestamp> time_of(db::RedisValue value);  // 0 is nothing
Event event_of(db::RedisValue value);
JobLease job_lease_of(db::RedisValue value);
UrlLease url_lease_of(db::RedisValue value, int max_attempts);
HostRule host_rule_of(db::RedisValue value);
Job job_of(db::RedisValue value);
std::optional<Keeping> keeping_of(db::RedisValue completed, db::RedisValue failed);  // -1 is nothing
Group group_of(db::RedisValue value);
FrontierUrl frontier_url_of(db::RedisValue value, GroupId group);

}  // namespace quarry::store::redis
