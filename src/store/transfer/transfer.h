// Moves everything that a store holds into another kind of store: from a file to PostgreSQL, and back. Each
// end reads and writes rows of tables in order of their keys. Tables have the names and columns of the
// embedded database; where PostgreSQL keeps something otherwise, its end translates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace quarry::store {

// One end of a transfer between databases: rows of a table, read and written in order of their keys.
//
// Tables have the names and columns of the embedded database. Where PostgreSQL keeps something otherwise, its
// end translates.

// Numbers, or text and bytes alike.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using Cells = std::vector<Cell>;

struct TransferTable {
    const char* name;
    // A column of numbers by which rows come in order and are taken up again after an interruption. "" for
    // tables that are small, and copied as a whole.
    const char* key;
    bool is_words = false;  // packed in the one, text in the other
};

class TransferEnd {
public:
    virtual ~TransferEnd() = default;

    virtual std::string place() const = 0;  // for people

    // As source: nobody works there. As target: empty, or what an earlier transfer from `source` has left
    // unfinished. `conflict` with a sentence otherwise.
    virtual Result<void> check_source() = 0;
    virtual Result<void> begin_target(std::uint64_t source) = 0;
    // Makes what follows from the rows: lines, counts, the next id. Others may open it from now on.
    virtual Result<void> finish_target(std::int64_t next_id) = 0;

    virtual Result<std::uint64_t> salt() = 0;
    virtual Result<std::int64_t> next_id() = 0;

    virtual Result<std::vector<std::string>> columns(const TransferTable& table) = 0;
    virtual Result<std::int64_t> count(const TransferTable& table) = 0;
    virtual Result<std::int64_t> last_key(const TransferTable& table) = 0;  // 0 if there is none
    // Rows after the key, in order; of a table without one, all of them at once.
    virtual Result<std::vector<Cells>> read(const TransferTable& table,
                                            const std::vector<std::string>& columns, std::int64_t after,
                                            int limit) = 0;
    // All or none. A table without a key is emptied first.
    virtual Result<void> write(const TransferTable& table, const std::vector<std::string>& columns,
                               const std::vector<Cells>& rows) = 0;
};

// Moves everything that a store holds into another kind of store: from a file to PostgreSQL, and back.

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
