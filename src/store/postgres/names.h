// Kinds, owners and hosts have numbers, so that rows are narrow. A number once given stays: it is given in a
// transaction of its own, remembered, and never asked for again by this process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

class Names {
public:
    // With a connection of its own: it is asked from within transactions. If the server has none to spare,
    // whoever asks fails, and may let a connection of another purpose answer before it tries again.
    explicit Names(const db::PgConfig& config) : pool_(config, 1) {}

    Result<std::int64_t> kind(const std::string& name);
    Result<std::int64_t> owner(const std::string& name);
    // Without a question.
    std::optional<std::int64_t> known_kind(const std::string& name) const { return known(kinds_, name); }
    std::optional<std::int64_t> known_owner(const std::string& name) const { return known(owners_, name); }
    // In the order of the names.
    Result<std::vector<std::int64_t>> hosts(std::span<const std::string> names);

    // Finds out what this thread has asked for in vain. False if it has not.
    Result<bool> answer(const std::function<Result<db::PgPool::Borrowed>()>& borrow);

    Result<std::string> kind_name(std::int64_t id);
    Result<std::string> owner_name(std::int64_t id);

private:
    struct Table {
        std::unordered_map<std::string, std::int64_t> ids{};
        std::unordered_map<std::int64_t, std::string> names{};
    };
    struct Statements {
        db::PgStatement find_or_insert, name_of;
    };
    static std::optional<std::int64_t> known(const Guarded<Table>& table, const std::string& name);
    using Question = std::function<Result<void>(db::PgConnection&)>;
    // With our own connection, or later.
    Result<void> ask(Question question);
    Result<void> learn_hosts(db::PgConnection& connection, const std::vector<std::string>& names);
    Result<std::int64_t> number_of(Guarded<Table>& table, const Statements& sql, const std::string& name);
    Result<std::string> name_of(Guarded<Table>& table, const Statements& sql, std::int64_t id);

    db::PgPool pool_;
    Guarded<Table> kinds_, owners_;
    Guarded<std::unordered_map<std::string, std::int64_t>> hosts_;
    Guarded<std::map<std::thread::id, Question>> unanswered_;  // the last of each thread
};

}  // namespace quarry::store::postgres
