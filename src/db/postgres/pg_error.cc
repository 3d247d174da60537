#include "db/postgres/pg_error.h"

#include <array>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <libpq-fe.h>

namespace quarry::db {

namespace {

struct Meaning {
    std::string_view prefix;
    PgFailure failure;
    ErrorCode code;
    std::string_view advice;
};

// The first row that fits counts.
constexpr std::array meanings = {
    Meaning{"40001", PgFailure::retry, ErrorCode::unavailable, "try again"},
    Meaning{"40P01", PgFailure::retry, ErrorCode::unavailable, "try again"},
    // A row on its way to a default partition while another one was attached for it: it will find that.
    Meaning{"23514", PgFailure::retry, ErrorCode::unavailable, "try again"},
    Meaning{"23505", PgFailure::unique, ErrorCode::conflict, ""},
    Meaning{"55P03", PgFailure::other, ErrorCode::timeout, ""},
    Meaning{"57014", PgFailure::other, ErrorCode::timeout, ""},
    Meaning{"57P0", PgFailure::lost, ErrorCode::unavailable, "it is stopping or starting: try again"},
    Meaning{"25P03", PgFailure::lost, ErrorCode::unavailable, "this process was not heard of for too long"},
    Meaning{"08", PgFailure::lost, ErrorCode::unavailable, "is it running, and can it be reached?"},
    Meaning{"53300", PgFailure::lost, ErrorCode::unavailable,
            "it has no connection left: raise max_connections, or use fewer processes"},
    Meaning{"53100", PgFailure::other, ErrorCode::unavailable, "its disk is full: free some space"},
    Meaning{"53", PgFailure::other, ErrorCode::unavailable, "it lacks resources"},
    Meaning{"58", PgFailure::other, ErrorCode::unavailable, "look into its log"},
    Meaning{"28", PgFailure::other, ErrorCode::unavailable, "check the user and the password"},
    Meaning{"3D000", PgFailure::other, ErrorCode::unavailable, "create the database first (createdb)"},
    Meaning{"42501", PgFailure::other, ErrorCode::refused, "grant the user what it needs"},
    Meaning{"25006", PgFailure::other, ErrorCode::unavailable,
            "it is read-only: connect to the primary (target_session_attrs=read-write)"},
    Meaning{"XX001", PgFailure::other, ErrorCode::corrupt, "the database is damaged"},
    Meaning{"XX002", PgFailure::other, ErrorCode::corrupt, "an index is damaged: REINDEX"},
};

const Meaning* meaning_of(std::string_view sqlstate) {
    for (const Meaning& meaning : meanings) {
        if (sqlstate.starts_with(meaning.prefix)) return &meaning;
    }
    return nullptr;
}

// libpq ends its messages with a newline, and says the same thing for each address it tried.
std::string_view first_line(std::string_view said) {
    return said.substr(0, said.find('\n'));
}

}  // namespace

PgFailure pg_failure_of(std::string_view sqlstate) {
    const Meaning* meaning = meaning_of(sqlstate);
    return meaning ? meaning->failure : PgFailure::other;
}

ErrorCode pg_code_of(std::string_view sqlstate) {
    const Meaning* meaning = meaning_of(sqlstate);
    return meaning ? meaning->code : ErrorCode::invalid_argument;
}

std::string pg_message(std::string_view sqlstate, std::string_view said, const std::string& place) {
    const Meaning* meaning = meaning_of(sqlstate);
    std::string message = fmt::format("PostgreSQL ({}): {}", place, first_line(said));
    if (meaning && !meaning->advice.empty()) message += fmt::format("; {}", meaning->advice);
    return message;
}

Result<std::string> pg_place_of(const std::string& url) {
    // What libpq says of a URL that it cannot read may have the password in it.
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
        PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
    if (!options) {
        return fail(ErrorCode::invalid_argument,
                    "the address of the database cannot be read: write postgres://user@host:5432/database, "
                    "with %XX for special characters in a password");
    }
    std::map<std::string_view, std::string> values;
    for (const PQconninfoOption* option = options.get(); option->keyword; ++option) {
        if (option->val) values[option->keyword] = option->val;
    }
    const auto value = [&](std::string_view name, std::string_view otherwise) {
        const auto found = values.find(name);
        return found == values.end() ? std::string(otherwise) : found->second;
    };
    const std::string host = value("host", value("hostaddr", "this machine"));
    return fmt::format("database {} on {}, port {}", value("dbname", value("user", "?")), host,
                       value("port", "5432"));
}

}  // namespace quarry::db
