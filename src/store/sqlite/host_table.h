// Hosts: their numbers, how they want to be treated, and which worker has them now. A host belongs to one
// worker while that worker holds URLs of it, so that politeness needs no agreement between processes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/base_clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/model_ids.h"
#include "store/outcome.h"

namespace quarry::store {

struct Host {
    std::string name{};
    std::optional<HostRule> rule{};
};

class HostTable {
public:
    static Result<HostTable> create(db::Connection& connection);

    // The host's number; it is given one if it has none.
    Result<std::int64_t> ensure(const std::string& name);
    Result<Host> find(std::int64_t id);
    Result<void> set_rule(const HostRule& rule);
    // Not before this; nothing most of the time.
    std::optional<Timestamp> not_before(std::int64_t id) const;

    struct Claim {
        WorkerId worker{};
        int urls = 0;
    };
    const Claim* claim_on(std::int64_t id) const;
    // True if the worker had none of its URLs before.
    bool add_claim(std::int64_t id, WorkerId worker);
    void remove_claim(std::int64_t id);

    // Forgets what is not in the database.
    Result<void> reload();

private:
    struct Statements {
        db::Statement insert, find_name, find, set_rule, blocked;
    };
    explicit HostTable(Statements statements) : sql_(std::move(statements)) {}

    // Names are looked up again when they have been forgotten.
    static constexpr std::size_t remembered_hosts = 50'000;

    Statements sql_;
    std::unordered_map<std::string, std::int64_t> ids_;
    std::unordered_map<std::int64_t, Host> hosts_;
    std::unordered_map<std::int64_t, Timestamp> not_before_;
    std::unordered_map<std::int64_t, Claim> claims_;
};

}  // namespace quarry::store
