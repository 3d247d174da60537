// Kinds, owners and hosts have numbers, so that rows are narrow. A number never changes: it is given in a
// transaction of its own, and this process remembers it and never asks for it again.
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
    // Uses a connection of its own, because transactions ask for numbers while they run. If the server has no
    // connection to spare, the call fails. The caller may then call answer() with a connection of another
    // purpose and try again.
    explicit Names(const db::PgConfig& config) : pool_(config, 1) {}

    Result<std::int64_t> kind(const std::string& name);
    Result<std::int64_t> owner(const std::string& name);
    // These ask no database.
    std::optional<std::int64_t> known_kind(const std::string& name) const { return known(kinds_, name); }
    std::optional<std::int64_t> known_owner(const std::string& name) const { return known(owners_, name); }
    // In the order of the names.
    Result<std::vector<std::int64_t>> hosts(std::span<const std::string> names);

    // Answers the question that failed on this thread. False if there is none.
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
    // Asks over our own connection, or leaves the question for answer().
    Result<void> ask(Question question);
    Result<void> learn_hosts(db::PgConnection& connection, const std::vector<std::string>& names);
    Result<std::int64_t> number_of(Guarded<Table>& table, const Statements& sql, const std::string& name);
    Result<std::string> name_of(Guarded<Table>& table, const Statements& sql, std::int64_t id);

    db::PgPool pool_;
    Guarded<Table> kinds_, owners_;
    Guarded<std::unordered_map<std::string, std::int64_t>> hosts_;
    Guarded<std::map<std::thread::id, Question>> unanswered_;  // the last question of each thread
};

}  // namespace quarry::store::postgres
