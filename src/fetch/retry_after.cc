#include "fetch/http_time.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "fetch/http_date.h"
#include "net/header_text.h"

namespace quarry::fetch {

namespace {

constexpr std::chrono::seconds longest = std::chrono::hours(24 * 365);

}  // namespace

std::optional<std::chrono::seconds> retry_after(const std::vector<Header>& headers,
                                                std::chrono::sys_seconds now) {
    return parse_retry_after(header_value(headers, "Retry-After"), now);
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::chrono::sys_seconds now) {
    value = net::trimmed(value);
    if (net::is_all_digits(value)) {
        std::int64_t seconds = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
        if (error == std::errc::result_out_of_range) return longest;
        return std::min(std::chrono::seconds(seconds), longest);
    }
    const auto date = parse_http_date(value);
    if (!date) return std::nullopt;
    return std::clamp(*date - now, std::chrono::seconds(0), longest);
}

}  // namespace quarry::fetch
