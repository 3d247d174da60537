// Names that many rows share, as small numbers: kinds of jobs.
#pragma once

#include <string>
#include <unordered_map>

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::store {

class NameTable {
public:
    static Result<NameTable> create(db::Connection& connection);

    Result<int> ensure(const std::string& name);
    // 0 if nobody has used it yet.
    int find(const std::string& name) const {
        const auto found = ids_.find(name);
        return found == ids_.end() ? 0 : found->second;
    }
    Result<void> reload();

private:
    struct Statements {
        db::Statement all, insert;
    };
    explicit NameTable(Statements statements) : sql_(std::move(statements)) {}

    Statements sql_;
    std::unordered_map<std::string, int> ids_;
};

}  // namespace quarry::store
