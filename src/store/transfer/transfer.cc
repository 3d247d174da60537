#include "store/transfer/transfer.h"

#include <algorithm>
#include <array>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace quarry::store {

namespace {

constexpr int batch_rows = 2'000;

// Pages have their words beside them, which may be large.
constexpr int batch_words = 200;

constexpr std::array tables = {
    TransferTable{"kind", ""},        TransferTable{"owner", ""},
    TransferTable{"host", "id"},      TransferTable{"collection", ""},
    TransferTable{"schedule", ""},    TransferTable{"api_key", ""},
    TransferTable{"usage", ""},       TransferTable{"session_day", ""},
    TransferTable{"request_day", ""}, TransferTable{"session", "id"},
    TransferTable{"request", "id"},   TransferTable{"grp", "id"},
    TransferTable{"payload", "id"},   TransferTable{"job", "id"},
    TransferTable{"done", "id"},      TransferTable{"frontier", "id"},
    TransferTable{"alias", ""},       TransferTable{"result", "sequence"},
    TransferTable{"page", "id"},      TransferTable{"content", "id", true},
    TransferTable{"outbox", "id"},    TransferTable{"outbox_count", ""},
    TransferTable{"operation", "id"}, TransferTable{"operation_day", ""},
};

// What rows say, whatever their order: the sum of their hashes.
class Fingerprint {
public:
    void add(const Cells& row) {
        bytes_.clear();
        for (const Cell& cell : row) add(cell);
        sum_ += XXH3_64bits(bytes_.data(), bytes_.size());
        ++rows_;
    }
    void add(const std::vector<Cells>& rows) {
        for (const Cells& row : rows) add(row);
    }
    std::int64_t rows() const { return rows_; }
    friend bool operator==(const Fingerprint& a, const Fingerprint& b) {
        return a.sum_ == b.sum_ && a.rows_ == b.rows_;
    }

private:
    void add(const Cell& cell) {
        bytes_ += static_cast<char>(cell.index());
        if (const auto* number = std::get_if<std::int64_t>(&cell)) bytes_ += std::to_string(*number);
        if (const auto* text = std::get_if<std::string>(&cell))
            bytes_ += std::to_string(text->size()) + ':' + *text;
        bytes_ += ';';
    }

    std::string bytes_;
    std::uint64_t sum_ = 0;
    std::int64_t rows_ = 0;
};

int batch_of(const TransferTable& table) {
    return table.is_words ? batch_words : batch_rows;
}

class Transfer {
public:
    Transfer(TransferEnd& source, TransferEnd& target,
             const std::function<void(const TransferProgress&)>& tell, std::stop_token stop)
        : source_(source), target_(target), tell_(tell), stop_(std::move(stop)) {}

    Result<TransferReport> run() {
        TRY(source_.check_source());
        const std::uint64_t name = TRY(source_.salt());
        TRY(target_.begin_target(name));
        for (const TransferTable& table : tables) TRY(copy(table));
        for (const TransferTable& table : tables) TRY(compare(table));
        const std::int64_t next_id = TRY(source_.next_id());
        TRY(target_.finish_target(next_id));
        report_.tables = std::ssize(tables);
        return report_;
    }

private:
    Result<void> copy(const TransferTable& table) {
        const auto columns = TRY(source_.columns(table));
        const bool is_small = *table.key == '\0';
        TransferProgress progress{.table = table.name, .of = TRY(source_.count(table))};
        std::int64_t after = is_small ? 0 : TRY(target_.last_key(table));
        if (after != 0) progress.rows = TRY(target_.count(table));
        report_.taken_up += progress.rows;
        const std::size_t key = place_of_key(table, columns);
        while (true) {
            if (stop_.stop_requested())
                return fail(ErrorCode::interrupted, "interrupted; the same command goes on from here");
            const auto rows = TRY(source_.read(table, columns, after, batch_of(table)));
            if (rows.empty() && !is_small) break;
            TRY(target_.write(table, columns, rows));
            progress.rows += std::ssize(rows);
            if (tell_) tell_(progress);
            if (is_small) break;
            after = std::get<std::int64_t>(rows.back()[key]);
        }
        report_.rows += progress.rows;
        return {};
    }

    Result<void> compare(const TransferTable& table) {
        const auto columns = TRY(source_.columns(table));
        if (tell_) tell_({.table = table.name, .is_checking = true});
        const Fingerprint there = TRY(read_all(source_, table, columns));
        const Fingerprint here = TRY(read_all(target_, table, columns));
        if (there == here) return {};
        return fail(
            ErrorCode::corrupt,
            fmt::format("{} of {} rows of {} arrived at {}, or they say something else. Remove what is "
                        "there and begin again",
                        here.rows(), there.rows(), table.name, target_.place()));
    }

    Result<Fingerprint> read_all(TransferEnd& end, const TransferTable& table,
                                 const std::vector<std::string>& columns) {
        Fingerprint all;
        const std::size_t key = place_of_key(table, columns);
        for (std::int64_t after = 0;;) {
            if (stop_.stop_requested())
                return fail(ErrorCode::interrupted, "interrupted; the same command goes on from here");
            const auto rows = TRY(end.read(table, columns, after, batch_of(table)));
            all.add(rows);
            if (rows.empty() || *table.key == '\0') return all;
            after = std::get<std::int64_t>(rows.back()[key]);
        }
    }

    static std::size_t place_of_key(const TransferTable& table, const std::vector<std::string>& columns) {
        const auto found = std::ranges::find(columns, std::string(table.key));
        return static_cast<std::size_t>(found - columns.begin());
    }

    TransferEnd& source_;
    TransferEnd& target_;
    const std::function<void(const TransferProgress&)>& tell_;
    std::stop_token stop_;
    TransferReport report_;
};

}  // namespace

Result<TransferReport> transfer(TransferEnd& source, TransferEnd& target,
                                const std::function<void(const TransferProgress&)>& tell,
                                std::stop_token stop) {
    return Transfer(source, target, tell, std::move(stop)).run();
}

}  // namespace quarry::store
