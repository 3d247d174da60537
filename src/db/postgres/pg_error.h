// What PostgreSQL's errors mean for us, and how they are told.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::db {

// By the first letters of the SQLSTATE (PostgreSQL manual, appendix A).
PgFailure pg_failure_of(std::string_view sqlstate);
ErrorCode pg_code_of(std::string_view sqlstate);

// A sentence: what happened, to which database, and what to do about it.
std::string pg_message(std::string_view sqlstate, std::string_view said, const std::string& place);

// What a URL means, without its password: "database app on db.example, port 5432". `invalid_argument` if it
// means nothing.
Result<std::string> pg_place_of(const std::string& url);

}  // namespace quarry::db
