#include "embed/breaker.h"

#include <algorithm>

#include <fmt/format.h>

#include "net/wording.h"

namespace quarry::embed {

Result<void> Breaker::admit(Time now) {
    return state_.with([&](State& state) -> Result<void> {
        if (state.failures < config_.failures) return {};
        if (now >= state.retry_at && !state.is_probing) {
            state.is_probing = true;
            return {};
        }
        const auto left = std::chrono::ceil<std::chrono::seconds>(state.retry_at - now);
        const std::string when = state.is_probing ? "being tried now" : "next try in " + net::in_words(left);
        return fail(ErrorCode::unavailable,
                    fmt::format("{} ({} failures in a row, {})", state.why, state.failures, when));
    });
}

void Breaker::succeeded() {
    state_.with([](State& state) { state = {}; });
}

void Breaker::failed(Time now, const std::string& why) {
    state_.with([&](State& state) {
        ++state.failures;
        state.is_probing = false;
        state.retry_at = now + config_.reset;
        state.why = why;
    });
}

void Breaker::abandoned() {
    state_.with([](State& state) { state.is_probing = false; });
}

void Breaker::ask_at_once() {
    state_.with([&](State& state) { state.failures = std::min(state.failures, config_.failures - 1); });
}

bool Breaker::is_troubled() {
    return state_.with([](const State& state) { return state.failures > 0; });
}

}  // namespace quarry::embed
