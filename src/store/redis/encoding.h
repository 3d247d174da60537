// How values of the store are said to scripts, and how what scripts answer is read. A Message is
// MessagePack, which Redis' Lua reads by itself; it is written in order, and a list or a map says first how
// many follow. Ids of the job store are larger than those of the content store, so that they are told
// apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "db/redis/connection.h"
#include "model/ids.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::store::redis {

// Ids of the job store and of the content store are told apart by their size.

// Ids of 13 digits: Lua writes numbers of up to 14 digits as they are.
inline constexpr std::int64_t first_redis_id = std::int64_t{1} << 40;

// A change of the outbox, not a job or a URL.
inline bool is_of_content(JobId id) {
    return number(id) < first_redis_id;
}

inline bool is_of_content(GroupId id) {
    return number(id) < first_redis_id;
}

// What scripts are asked, as MessagePack, which Redis' Lua reads by itself. Written in order: a list or a map
// says first how many follow.

class Message {
public:
    Message& list(std::size_t size) { return header(0xdc, size); }
    Message& map(std::size_t size) { return header(0xde, size); }
    Message& add(std::int64_t number);
    Message& add(std::string_view text);
    Message& add(const char* text) { return add(std::string_view(text)); }
    Message& add(const std::string& text) { return add(std::string_view(text)); }
    Message& add(int number) { return add(std::int64_t{number}); }
    Message& add(bool value) { return add(std::int64_t{value ? 1 : 0}); }
    Message& add(Timestamp time) { return add(std::int64_t{time.time_since_epoch().count()}); }
    Message& nothing();  // false, in Lua
    Message& append(const Message& other) {
        bytes_ += other.bytes_;
        return *this;
    }

    const std::string& bytes() const { return bytes_; }

private:
    Message& header(unsigned char kind, std::size_t size);
    void number(std::uint64_t value, int bytes);

    std::string bytes_;
};

// How values of the store are said to scripts, and what scripts answer is read.

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
