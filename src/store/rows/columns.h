// How values of the model are written in columns, and how rows are read, whatever database gave them.
// Records are read from their columns by number, so that the list of a record's fields is written once.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "db/sqlite.h"
#include "model/frontier.h"

namespace quarry::store {

// How values of the model are written in columns. Shared by everything that reads or writes a database of
// quarry.

inline std::int64_t column_of(Timestamp time) {
    return time.time_since_epoch().count();
}

inline std::optional<std::int64_t> column_of(const std::optional<Timestamp>& time) {
    if (!time) return std::nullopt;
    return column_of(*time);
}

inline Timestamp time_of(std::int64_t column) {
    return Timestamp(std::chrono::milliseconds(column));
}

inline std::optional<Timestamp> time_of(std::optional<std::int64_t> column) {
    if (!column) return std::nullopt;
    return time_of(*column);
}

inline std::int64_t hash_column(std::uint64_t hash) {
    return static_cast<std::int64_t>(hash);
}

// A URL's key as 16 bytes which sort as the key does. Owns them, since a statement only borrows what is
// bound.
class KeyColumn {
public:
    explicit KeyColumn(const UrlKey& key) {
        static_assert(std::endian::native == std::endian::little);
        const std::array<std::uint64_t, 2> words = {__builtin_bswap64(key.high), __builtin_bswap64(key.low)};
        std::memcpy(bytes_.data(), words.data(), bytes_.size());
    }
    db::Blob blob() const { return {{bytes_.data(), bytes_.size()}}; }

private:
    std::array<char, 16> bytes_;
};

// Keeps the bytes of a key that may be absent alive while they are bound.
class OptionalKeyColumn {
public:
    explicit OptionalKeyColumn(const std::optional<UrlKey>& key) {
        if (key) column_.emplace(*key);
    }
    std::optional<db::Blob> blob() const { return column_ ? std::optional(column_->blob()) : std::nullopt; }

private:
    std::optional<KeyColumn> column_;
};

// The way back; a column of another length is no key.
inline std::optional<UrlKey> key_of(std::string_view column) {
    std::array<std::uint64_t, 2> words;
    if (column.size() != sizeof(words)) return std::nullopt;
    std::memcpy(words.data(), column.data(), sizeof(words));
    return UrlKey{.high = __builtin_bswap64(words[0]), .low = __builtin_bswap64(words[1])};
}

// A row of an answer, whatever database gave it: records are read from its columns by their numbers, so that
// the list of a record's fields is written once.

template <typename Type>
concept Row = requires(const Type& row) {
    { row.is_null(0) } -> std::same_as<bool>;
    { row.integer(0) } -> std::same_as<std::int64_t>;                          // 0 if NULL
    { row.optional_integer(0) } -> std::same_as<std::optional<std::int64_t>>;  // nothing if NULL
    { row.text(0) } -> std::same_as<std::string_view>;                         // "" if NULL
};

}  // namespace quarry::store
