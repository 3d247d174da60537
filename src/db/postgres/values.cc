#include "db/postgres/values.h"

#include <bit>
#include <concepts>

#include "db/postgres/pg_text.h"

namespace quarry::db {

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

}  // namespace quarry::db
