// Keys, limits, usage and requests from rows.
#pragma once

#include <algorithm>

#include "store/rows/columns.h"
#include "store/reader.h"
#include "store/rows/row.h"

namespace quarry::store {

inline KeyHash key_hash_of(std::string_view bytes) {
    KeyHash hash{};
    if (bytes.size() == hash.size())
        std::ranges::transform(bytes, hash.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return hash;
}

#define KEY_COLUMNS "id, owner, name, hint, hash, created_at, revoked_at"
ApiKey api_key_of(const Row auto& row) {
    return {.id = row.integer(0),
            .owner = std::string(row.text(1)),
            .name = std::string(row.text(2)),
            .hint = std::string(row.text(3)),
            .hash = key_hash_of(row.text(4)),
            .created_at = time_of(row.integer(5)),
            .revoked_at = time_of(row.optional_integer(6))};
}

#define LIMIT_COLUMNS \
    "running_jobs, running_groups, open_jobs, requests_per_minute, pages_per_month, stored_bytes"
OwnerLimits limits_of(const Row auto& row) {
    return {.running_jobs = static_cast<int>(row.integer(0)),
            .running_groups = static_cast<int>(row.integer(1)),
            .open_jobs = row.integer(2),
            .requests_per_minute = row.integer(3),
            .pages_per_month = row.integer(4),
            .stored_bytes = row.integer(5)};
}

#define REQUEST_COLUMNS "at, method, path, route, status, took_us, request_id, peer, user_agent, owner, extra"
RequestRecord request_of(const Row auto& row) {
    return {.at = time_of(row.integer(0)),
            .method = std::string(row.text(1)),
            .path = std::string(row.text(2)),
            .route = std::string(row.text(3)),
            .status = static_cast<int>(row.integer(4)),
            .took = std::chrono::microseconds(row.integer(5)),
            .request_id = std::string(row.text(6)),
            .peer = std::string(row.text(7)),
            .user_agent = std::string(row.text(8)),
            .owner = std::string(row.text(9)),
            .extra = std::string(row.text(10))};
}

// day, route, status, requests, took_us
RequestDay request_day_of(const Row auto& row) {
    return {.day = time_of(row.integer(0)),
            .route = std::string(row.text(1)),
            .status = static_cast<int>(row.integer(2)),
            .requests = row.integer(3),
            .took = std::chrono::microseconds(row.integer(4))};
}

}  // namespace quarry::store
