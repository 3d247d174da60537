#include "fetch/retry.h"

#include <fmt/format.h>

#include "net/wording.h"

namespace quarry::fetch {

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
