// Moves everything that a store holds into another kind of store: from a file to PostgreSQL, and back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "store/transfer/transfer.h"

namespace quarry::store {

struct TransferProgress {
    std::string table{};
    std::int64_t rows = 0, of = 0;
    bool is_checking = false;
};

struct TransferReport {
    std::int64_t tables = 0, rows = 0;
    std::int64_t taken_up = 0;  // rows that were there from an interrupted transfer
};

// Copies table by table in batches, each one commit, then reads all of it again at the other end and compares
// how many rows there are and what is in them. Interrupted at any moment, it goes on where it was. The source
// is not changed. What ran there waits again.
//
// Fails with `conflict` if somebody works at either end or the target has something else in it, and with
// `corrupt` if the two differ in the end: then the target cannot be opened.
Result<TransferReport> transfer(TransferEnd& source, TransferEnd& target,
                                const std::function<void(const TransferProgress&)>& tell,
                                std::stop_token stop);

Result<std::unique_ptr<TransferEnd>> open_sqlite_end(const std::string& path);
Result<std::unique_ptr<TransferEnd>> open_postgres_end(const std::string& url);

}  // namespace quarry::store
