#include "db/postgres/values.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <libpq-fe.h>

#include "base/ascii.h"

namespace quarry::db {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The length of the character at the beginning; 0 if there is none. Neither overlong forms nor surrogates
// are characters (RFC 3629, section 4).
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return lead == 0 ? 0 : 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if (!is_utf8_continuation(text[at])) return 0;
    }
    const bool is_overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool is_too_great = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
    return is_overlong || is_too_great ? 0 : length;
}

// How much of the beginning can be held. Eight bytes at a time, since most text is ASCII.
std::size_t good_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::uint64_t word = 0;
        while (at + sizeof word <= text.size()) {
            std::memcpy(&word, text.data() + at, sizeof word);
            // Some byte is above 0x7F, or is zero.
            const std::uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
            if ((word & high) != 0 || ((word - ones) & ~word & high) != 0) break;
            at += sizeof word;
        }
        if (at == text.size()) break;
        const std::size_t length = character_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return at;
}

}  // namespace

bool is_pg_text(std::string_view text) {
    return good_prefix(text) == text.size();
}

std::string to_pg_text(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (true) {
        const std::size_t good = good_prefix(text);
        clean += text.substr(0, good);
        if (good == text.size()) return clean;
        clean += replacement;
        text.remove_prefix(good + 1);
    }
}

namespace {

// PostgreSQL's own numbers of its types (pg_type.dat); they never change.
enum Type : unsigned int {
    type_bool = 16,
    type_bytea = 17,
    type_int8 = 20,
    type_text = 25,
    type_float8 = 701,
    type_bytea_array = 1001,
    type_text_array = 1009,
    type_int8_array = 1016,
};

template <std::unsigned_integral T>
void append(std::string& bytes, T value) {
    for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift);
    }
}

void append_length(std::string& bytes, std::size_t length) {
    append(bytes, static_cast<std::uint32_t>(length));
}

// dimensions, whether there are NULLs, the element's type, then of each dimension its length and lower bound
std::string array_header(std::size_t count, unsigned int element) {
    std::string bytes;
    append(bytes, std::uint32_t{count == 0 ? 0u : 1u});
    append(bytes, std::uint32_t{1});
    append(bytes, std::uint32_t{element});
    if (count == 0) return bytes;
    append_length(bytes, count);
    append(bytes, std::uint32_t{1});
    return bytes;
}

constexpr std::uint32_t null_length = 0xFFFFFFFFu;

void append_element(std::string& bytes, std::string_view element) {
    append_length(bytes, element.size());
    bytes += element;
}

}  // namespace

PgValues& PgValues::push(unsigned int type, std::string_view bytes) {
    types_.push_back(type);
    values_.push_back(bytes.data() ? bytes.data() : "");
    lengths_.push_back(static_cast<int>(bytes.size()));
    formats_.push_back(1);
    return *this;
}

PgValues& PgValues::push_own(unsigned int type, std::string bytes) {
    return push(type, own_.emplace_back(std::move(bytes)));
}

PgValues& PgValues::push_borrowed(unsigned int type, std::string_view bytes) {
    borrowed_.push_back(values_.size());
    return push(type, bytes);
}

void PgValues::keep() {
    for (const std::size_t place : borrowed_) {
        if (!values_[place]) continue;
        const std::string_view bytes(values_[place], static_cast<std::size_t>(lengths_[place]));
        values_[place] = own_.emplace_back(bytes).c_str();
    }
    borrowed_.clear();
}

PgValues& PgValues::add(std::int64_t value) {
    std::string bytes;
    append(bytes, static_cast<std::uint64_t>(value));
    return push_own(type_int8, std::move(bytes));
}

PgValues& PgValues::add(bool value) {
    return push_own(type_bool, std::string(1, value ? '\1' : '\0'));
}

PgValues& PgValues::add(double value) {
    std::string bytes;
    append(bytes, std::bit_cast<std::uint64_t>(value));
    return push_own(type_float8, std::move(bytes));
}

PgValues& PgValues::add(std::string_view value) {
    return is_pg_text(value) ? push_borrowed(type_text, value) : push_own(type_text, to_pg_text(value));
}

PgValues& PgValues::add(Blob value) {
    return push_borrowed(type_bytea, value.bytes);
}

PgValues& PgValues::add(const PgIntegers& values) {
    std::string bytes = array_header(values.size(), type_int8);
    bytes.reserve(bytes.size() + values.size() * 12);
    for (const auto& value : values) {
        append(bytes, value ? std::uint32_t{8} : null_length);
        if (value) append(bytes, static_cast<std::uint64_t>(*value));
    }
    return push_own(type_int8_array, std::move(bytes));
}

PgValues& PgValues::add(const std::vector<std::int64_t>& values) {
    return add(PgIntegers(values.begin(), values.end()));
}

PgValues& PgValues::add(const PgTexts& values) {
    std::string bytes = array_header(values.size(), type_text);
    for (const auto& value : values) {
        if (!value) {
            append(bytes, null_length);
        } else if (is_pg_text(*value)) {
            append_element(bytes, *value);
        } else {
            append_element(bytes, to_pg_text(*value));
        }
    }
    return push_own(type_text_array, std::move(bytes));
}

PgValues& PgValues::add(const std::vector<std::string>& values) {
    return add(PgTexts(values.begin(), values.end()));
}

PgValues& PgValues::add(const PgBlobs& values) {
    std::string bytes = array_header(values.values.size(), type_bytea);
    for (const auto& value : values.values) {
        if (value) {
            append_element(bytes, *value);
        } else {
            append(bytes, null_length);
        }
    }
    return push_own(type_bytea_array, std::move(bytes));
}

PgRows::PgRows(pg_result* result) : result_(result, PQclear), size_(PQntuples(result)) {}

std::int64_t PgRows::affected() const {
    return result_ ? std::strtoll(PQcmdTuples(result_.get()), nullptr, 10) : 0;
}

bool PgRows::is_null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::int64_t PgRows::integer(int row, int column) const {
    const std::string_view bytes = text(row, column);
    if (bytes.empty() || bytes.size() > 8) return 0;
    std::uint64_t value = 0;
    for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
    // Short ones are signed too; a bool is 0 or 1.
    const int unused = 64 - static_cast<int>(bytes.size()) * 8;
    return static_cast<std::int64_t>(value << unused) >> unused;
}

std::optional<std::int64_t> PgRows::optional_integer(int row, int column) const {
    if (is_null(row, column)) return std::nullopt;
    return integer(row, column);
}

double PgRows::real(int row, int column) const {
    return std::bit_cast<double>(integer(row, column));
}

std::string_view PgRows::text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

}  // namespace quarry::db
