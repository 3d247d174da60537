#include "fetch/retry.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "net/wording.h"

namespace quarry::fetch {

namespace {

using std::chrono::milliseconds;

constexpr int too_many_requests = 429;

// A name that does not resolve is most often a typing error, and sometimes a resolver that was busy.
constexpr int retries_of_a_lookup = 1;

int allowed_retries(const RetryConfig& config, const Attempt& attempt) {
    if (!attempt.error)
        return attempt.status == too_many_requests || attempt.status >= 500 ? config.max_retries : 0;
    switch (*attempt.error) {
        case ErrorCode::timeout:
        case ErrorCode::unavailable: return config.max_retries;
        case ErrorCode::not_found: return std::min(config.max_retries, retries_of_a_lookup);
        default: return 0;
    }
}

}  // namespace

milliseconds backoff(const RetryConfig& config, int attempt, double dice) {
    const double doubled = static_cast<double>(config.base.count()) * std::pow(2.0, attempt - 1);
    const double bounded = std::min(doubled, static_cast<double>(config.longest.count()));
    return milliseconds(std::llround(bounded * (1 + config.jitter * (2 * dice - 1))));
}

Result<std::optional<milliseconds>> delay_before_retry(const RetryConfig& config, const Attempt& attempt,
                                                       double dice) {
    if (attempt.number > allowed_retries(config, attempt)) return std::nullopt;
    RetryConfig used = config;
    if (attempt.status == too_many_requests) used.base *= config.too_many_requests_factor;
    const milliseconds own = backoff(used, attempt.number, dice);
    if (!attempt.retry_after) return own;
    if (*attempt.retry_after > config.max_wait)
        return fail(ErrorCode::unavailable,
                    fmt::format("server asks to wait {} before the next try, longer than the {} allowed",
                                net::in_words(*attempt.retry_after), net::in_words(config.max_wait)));
    return std::max<milliseconds>(own, *attempt.retry_after);
}

Result<void> CircuitBreaker::admit(const Circuit& circuit, Time now) {
    return records_.with([&](auto& records) -> Result<void> {
        const auto found = records.find(circuit);
        if (found == records.end() || found->second.failures < config_.failures) return {};
        Record& record = found->second;
        if (now >= record.retry_at) {
            record.is_probing = true;
            // Until the probe reports, nobody else may try; if it never does, the next one may after the same
            // time.
            record.retry_at = now + config_.reset;
            return {};
        }
        const auto left = std::chrono::ceil<std::chrono::seconds>(record.retry_at - now);
        return fail(ErrorCode::unavailable,
                    fmt::format("Service unavailable: {} failed {} times in a row, next try in {}",
                                circuit.origin, record.failures, net::in_words(left)));
    });
}

void CircuitBreaker::record(const Circuit& circuit, Outcome outcome, Time now) {
    records_.with([&](auto& records) {
        if (outcome == Outcome::success) {
            records.erase(circuit);
            return;
        }
        if (outcome == Outcome::unknown) {
            // The probe's place is free again.
            const auto found = records.find(circuit);
            if (found == records.end() || !found->second.is_probing) return;
            found->second.is_probing = false;
            found->second.retry_at = now;
            return;
        }
        if (records.size() >= config_.max_origins && !records.contains(circuit)) make_room(records, now);
        if (records.size() >= config_.max_origins && !records.contains(circuit)) return;
        Record& record = records[circuit];
        ++record.failures;
        record.is_probing = false;
        record.retry_at = now + config_.reset;
    });
}

bool CircuitBreaker::is_open(const Circuit& circuit, Time now) {
    return records_.with([&](auto& records) {
        const auto found = records.find(circuit);
        return found != records.end() && found->second.failures >= config_.failures &&
               now < found->second.retry_at;
    });
}

void CircuitBreaker::make_room(std::map<Circuit, Record>& records, Time now) const {
    std::erase_if(records, [&](const auto& entry) { return entry.second.retry_at < now; });
}

}  // namespace quarry::fetch
