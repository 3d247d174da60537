// Text as PostgreSQL takes it: UTF-8 without NUL. What comes from the web is neither, always.
#pragma once

#include <string>
#include <string_view>

namespace quarry::db {

// True if a column of type text can hold it.
bool is_pg_text(std::string_view text);

// The same with U+FFFD for every byte that cannot be held.
std::string to_pg_text(std::string_view text);

}  // namespace quarry::db
