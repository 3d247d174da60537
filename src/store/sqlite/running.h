// Who works on what, in memory: the truth about leases while this process lives. The rows of `lease` say the
// same to readers and to the next process.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/base_clock.h"
#include "model/model_ids.h"

namespace quarry::store {

struct Lease {
    Token token{};
    WorkerId worker{};
    int owner = 0;
    std::int64_t group = 0;  // 0 for none
    std::int64_t host = 0;   // of a URL; 0 for a job
    int priority = 0;        // of a URL: within its group
    // What of the row is needed when it ends, so that it need not be read again.
    int kind = 0;
    int attempts = 0;
    int max_attempts = 0;
    int stalls = 0;
    int snoozes = 0;
    std::string url{};
    PageId page{};             // of a change; 0 otherwise
    std::string collection{};  // of a change
    Timestamp leased_at{};

    bool is_url() const { return host != 0; }
    bool is_change() const { return page != PageId{}; }
};

class LeaseTable {
public:
    const Lease* find(JobId id) const {
        const auto found = leases_.find(number(id));
        return found == leases_.end() ? nullptr : &found->second;
    }
    bool contains(std::int64_t id) const { return leases_.contains(id); }
    void add(JobId id, const Lease& lease) { leases_.insert_or_assign(number(id), lease); }
    // Of a job, whose row has it too.
    void set_priority(std::int64_t id, int priority) { leases_.at(id).priority = priority; }
    void remove(JobId id) { leases_.erase(number(id)); }
    void clear() { leases_.clear(); }
    std::size_t size() const { return leases_.size(); }

    template <typename Matches>
    std::vector<JobId> ids_where(Matches matches) const {
        std::vector<JobId> ids;
        for (const auto& [id, lease] : leases_) {
            if (matches(lease)) ids.push_back(JobId(id));
        }
        return ids;
    }

private:
    std::unordered_map<std::int64_t, Lease> leases_;
};

}  // namespace quarry::store
