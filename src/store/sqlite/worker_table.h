// The processes that run jobs, and when each was last heard of. In memory only: beats are not worth a commit
// of their own, and when this process ends its workers' leases do too.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/base_clock.h"
#include "model/model_ids.h"

namespace quarry::store {

struct Worker {
    Timestamp beat_at{};
    bool is_dead = false;       // its leases have been taken away; a beat makes it live again
    std::vector<JobId> lost{};  // leases taken away since its last beat
};

class WorkerTable {
public:
    void add(WorkerId id, Timestamp now) { workers_[number(id)] = {.beat_at = now}; }
    void remove(WorkerId id) { workers_.erase(number(id)); }
    Worker* find(WorkerId id) {
        const auto found = workers_.find(number(id));
        return found == workers_.end() ? nullptr : &found->second;
    }

    // Marks those silent for longer than `patience` and returns them.
    std::vector<WorkerId> bury(Timestamp now, std::chrono::milliseconds patience) {
        std::vector<WorkerId> dead;
        for (auto& [id, worker] : workers_) {
            if (worker.is_dead || now - worker.beat_at <= patience) continue;
            worker.is_dead = true;
            dead.push_back(WorkerId(id));
        }
        return dead;
    }

private:
    std::unordered_map<std::int64_t, Worker> workers_;
};

}  // namespace quarry::store
