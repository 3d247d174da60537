#include "db/redis/url.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/units.h"

namespace quarry::db {

namespace {

constexpr int highest_port = 65535;
constexpr int highest_database = 1'000'000;

std::unexpected<Error> wrong(std::string_view what) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("not a Redis URL ({}): write redis://[user:password@]host[:port][/database]", what));
}

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] != '%') {
            plain += text[index];
            continue;
        }
        const int high = index + 2 < text.size() ? digit_of(text[index + 1]) : -1;
        const int low = index + 2 < text.size() ? digit_of(text[index + 2]) : -1;
        if (high < 0 || low < 0) return wrong("a % is not followed by two digits");
        plain += static_cast<char>(high * 16 + low);
        index += 2;
    }
    return plain;
}

Result<void> read_login(std::string_view login, RedisAddress& address) {
    const auto colon = login.find(':');
    if (colon == login.npos) {
        address.user = TRY(decoded(login));
        return {};
    }
    address.user = TRY(decoded(login.substr(0, colon)));
    address.password = TRY(decoded(login.substr(colon + 1)));
    return {};
}

Result<void> read_host(std::string_view text, RedisAddress& address) {
    std::string_view port;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == text.npos) return wrong("the address has no ]");
        address.host = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        if (!text.empty() && text.front() != ':') return wrong("what follows ] is no port");
        port = text.empty() ? text : text.substr(1);
    } else {
        const auto colon = text.rfind(':');
        if (const auto host = text.substr(0, colon); !host.empty()) address.host = TRY(decoded(host));
        if (colon != text.npos) port = text.substr(colon + 1);
    }
    if (address.host.find_first_of(std::string_view("\0 /@", 4)) != std::string::npos)
        return wrong("the host");
    if (port.empty()) return {};
    const auto number = parse_number(port, 1, highest_port);
    if (!number) return wrong("the port");
    address.port = static_cast<int>(*number);
    return {};
}

// Those that other clients know and this one does not are theirs.
Result<void> read_options(std::string_view options, RedisAddress& address) {
    while (!options.empty()) {
        const auto end = options.find('&');
        const std::string_view option = options.substr(0, end);
        if (option.starts_with("ca_file=")) address.ca_file = TRY(decoded(option.substr(8)));
        options = end == options.npos ? std::string_view() : options.substr(end + 1);
    }
    return {};
}

}  // namespace

std::string RedisAddress::place() const {
    return database == 0 ? fmt::format("Redis on {}, port {}", host, port)
                         : fmt::format("database {} of Redis on {}, port {}", database, host, port);
}

Result<RedisAddress> parse_redis_url(std::string_view url) {
    const auto colon = url.find("://");
    const std::string scheme = colon == url.npos ? std::string() : lower_case(url.substr(0, colon));
    if (scheme != "redis" && scheme != "rediss") return wrong("it begins otherwise");
    std::string_view rest = url.substr(colon + 3);
    RedisAddress address{.is_encrypted = scheme == "rediss"};
    rest = rest.substr(0, rest.find('#'));
    if (const auto mark = rest.rfind('?'); mark != rest.npos) {
        TRY(read_options(rest.substr(mark + 1), address));
        rest = rest.substr(0, mark);
    }
    const auto at = rest.rfind('@');
    if (at != rest.npos) {
        TRY(read_login(rest.substr(0, at), address));
        rest.remove_prefix(at + 1);
    }
    const auto slash = rest.find('/');
    TRY(read_host(rest.substr(0, slash), address));
    const std::string_view database = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
    if (database.empty()) return address;
    const auto number = parse_number(database, 0, highest_database);
    if (!number) return wrong("the database is no number");
    address.database = static_cast<int>(*number);
    return address;
}

}  // namespace quarry::db
