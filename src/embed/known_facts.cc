#include "embed/known_facts.h"

#include <fmt/format.h>

namespace quarry::embed {

namespace {

constexpr std::chrono::minutes lifetime{1};

std::string in_words(const EmbedderFacts& facts) {
    return fmt::format("{}{}{} with {} dimensions", facts.model, facts.version.empty() ? "" : " ",
                       facts.version, facts.dimensions);
}

}  // namespace

std::optional<EmbedderFacts> KnownFacts::at(const Moment& moment) {
    return state_.with([&](const State& state) -> std::optional<EmbedderFacts> {
        const bool is_fresh = !state.is_doubtful && state.learnt.times_away == moment.times_away &&
                              moment.time - state.learnt.time < lifetime;
        return is_fresh ? state.facts : std::nullopt;
    });
}

std::optional<EmbedderFacts> KnownFacts::first() {
    return state_.with([](const State& state) { return state.facts; });
}

Result<EmbedderFacts> KnownFacts::learn(const EmbedderFacts& facts, const Moment& moment,
                                        const std::string& service) {
    return state_.with([&](State& state) -> Result<EmbedderFacts> {
        if (state.facts && *state.facts != facts)
            return fail(
                ErrorCode::conflict,
                fmt::format("{} is not the model it was: it was {}, now it is {}. Put the old one back, or "
                            "run: quarry reindex",
                            service, in_words(*state.facts), in_words(facts)));
        state = {.facts = facts, .learnt = moment, .is_doubtful = false};
        return facts;
    });
}

void KnownFacts::doubt() {
    state_.with([](State& state) { state.is_doubtful = true; });
}

}  // namespace quarry::embed
