// What a service said it is, and whether it may still be believed. Vectors of two models in one collection
// would make its search worthless without anybody noticing, so a service that comes back as another is an
// error.
#include "embed/embedder.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/guarded.h"
#include "base/result.h"
#include "embed/answers.h"
#include "model/collection.h"

namespace quarry::embed {

// Any thread.
class KnownFacts {
public:
    // When they were learnt: by the clock, and by how often the service had been away.
    struct Moment {
        std::chrono::steady_clock::time_point time{};
        std::uint64_t times_away = 0;
    };

    // The facts, unless it is time to ask again: the service was away since, they are more than a minute old
    // (a restart between two requests goes unnoticed), or there is a doubt.
    std::optional<EmbedderFacts> at(const Moment& moment);

    // The facts as they were first learnt, if ever.
    std::optional<EmbedderFacts> first();

    // `conflict` if they are not the first ones; the old ones stay, so that the service may still come back.
    Result<EmbedderFacts> learn(const EmbedderFacts& facts, const Moment& moment, const std::string& service);

    void doubt();

private:
    struct State {
        std::optional<EmbedderFacts> facts{};
        Moment learnt{};
        bool is_doubtful = false;
    };
    Guarded<State> state_;
};

namespace {

using Batch = std::span<const std::string>;

class RemoteEmbedder : public Embedder {
public:
    RemoteEmbedder(RemoteEmbedderConfig config, std::unique_ptr<EmbeddingProtocol> protocol)
        : config_(std::move(config)),
          protocol_(std::move(protocol)),
          description_(protocol_->before_asking()) {}

    Result<EmbedderFacts> facts() override { return facts_now(std::stop_token()); }
    EmbedderLimits limits() override { return description().limits; }
    Result<std::vector<Vector>> embed(Batch texts, const Asking& asking) override {
        return embed_with(config_.document_prefix, texts, asking);
    }
    Result<void> try_out(const std::stop_token& stop) override {
        known_.doubt();
        TRY(facts_now({stop, Patience::none}));
        return {};
    }
    std::uint64_t times_overloaded() const override { return protocol_->service().times_overloaded(); }
    void ask_at_once() override { protocol_->service().ask_at_once(); }
    Result<Vector> embed_query(const std::string& query, std::stop_token stop) override {
        auto vectors = TRY(embed_with(config_.query_prefix, {&query, 1}, stop));
        return std::move(vectors.front());
    }

private:
    using BatchResult = std::expected<std::vector<Vector>, BatchFailure>;

    Description description() {
        return description_.with([](const Description& description) { return description; });
    }
    Result<EmbedderFacts> facts_now(const Asking& asking);
    Result<EmbedderFacts> ask_facts(const Asking& asking);
    EmbedderFacts facts_from(const Description& description, const EmbedAnswer& word) const;
    Result<std::vector<Vector>> embed_with(const std::string& prefix, Batch texts, const Asking& asking);
    BatchResult embed_batch(const std::string& prefix, Batch texts, const EmbedderFacts& facts,
                            const Asking& asking);
    std::unexpected<BatchFailure> doubtful(Error error, const Asking& asking);

    const RemoteEmbedderConfig config_;
    std::unique_ptr<EmbeddingProtocol> protocol_;
    KnownFacts known_;
    Guarded<Description> description_;
};

// What a vector's values depend on, beside the model's name.
std::string version_of(const Description& description, const std::string& answered_model,
                       const std::string& document_prefix) {
    std::string version = description.version;
    const auto add = [&](std::string_view part) {
        version += (version.empty() ? "" : " ") + std::string(part);
    };
    if (!answered_model.empty() && answered_model != description.model) add(answered_model);
    if (!document_prefix.empty()) add(fmt::format("\"{}\"", document_prefix));
    return version;
}

Result<EmbedderFacts> RemoteEmbedder::facts_now(const Asking& asking) {
    const Service& service = protocol_->service();
    if (auto facts = known_.at({service.now(), service.times_away()})) return *std::move(facts);
    return ask_facts(asking);
}

Result<EmbedderFacts> RemoteEmbedder::ask_facts(const Asking& asking) {
    const Service& service = protocol_->service();
    const KnownFacts::Moment moment{service.now(), service.times_away()};
    Description description = TRY(protocol_->describe(asking));
    const std::string word = "quarry";
    const auto answer = protocol_->embed({}, {&word, 1}, asking);
    if (!answer) return std::unexpected(answer.error().error);
    if (auto checked = check_vectors(answer->vectors, 1, 0); !checked)
        return fail(checked.error().code, fmt::format("{}: {}", service.name(), checked.error().message));
    const EmbedderFacts facts = facts_from(description, *answer);
    description_.with([&](Description& known) { known = std::move(description); });
    return known_.learn(facts, moment, service.name());
}

EmbedderFacts RemoteEmbedder::facts_from(const Description& description, const EmbedAnswer& word) const {
    return {.provider = config_.provider,
            .model = description.model,
            .dimensions = static_cast<int>(word.vectors.front().size()),
            .version = version_of(description, word.model, config_.document_prefix)};
}

Result<std::vector<Vector>> RemoteEmbedder::embed_with(const std::string& prefix, Batch texts,
                                                       const Asking& asking) {
    if (std::ranges::any_of(texts, &std::string::empty))
        return fail(ErrorCode::invalid_argument, "an empty text has no vector");
    if (texts.empty()) return std::vector<Vector>{};
    const EmbedderFacts facts = TRY(facts_now(asking));
    const Description known = description();
    const BatchLimits limits{.texts = static_cast<std::size_t>(known.limits.max_batch),
                             .bytes = known.max_batch_bytes};
    return in_batches<Vector>(texts, limits,
                              [&](Batch batch) { return embed_batch(prefix, batch, facts, asking); });
}

RemoteEmbedder::BatchResult RemoteEmbedder::embed_batch(const std::string& prefix, Batch texts,
                                                        const EmbedderFacts& facts, const Asking& asking) {
    auto answer = protocol_->embed(prefix, texts, asking);
    if (!answer && answer.error().error.code == ErrorCode::corrupt)
        return doubtful(std::move(answer.error().error), asking);
    if (!answer) return std::unexpected(std::move(answer.error()));
    if (auto checked = check_vectors(answer->vectors, texts.size(), facts.dimensions); !checked)
        return doubtful({checked.error().code,
                         fmt::format("{}: {}", protocol_->service().name(), checked.error().message)},
                        asking);
    if (version_of(description(), answer->model, config_.document_prefix) != facts.version)
        return doubtful({ErrorCode::unavailable,
                         fmt::format("{} answers with several models in turns", protocol_->service().name())},
                        asking);
    for (Vector& vector : answer->vectors) normalise(vector);
    return std::move(answer->vectors);
}

// The likeliest reason for a vector that does not fit is another model, which is the better answer to give.
std::unexpected<BatchFailure> RemoteEmbedder::doubtful(Error error, const Asking& asking) {
    known_.doubt();
    const auto facts = facts_now(asking);
    if (!facts && facts.error().code == ErrorCode::conflict)
        return std::unexpected(BatchFailure{facts.error()});
    return std::unexpected(BatchFailure{std::move(error)});
}

}  // namespace

std::unique_ptr<Embedder> make_remote_embedder(RemoteEmbedderConfig config,
                                               std::unique_ptr<EmbeddingProtocol> protocol) {
    return std::make_unique<RemoteEmbedder>(std::move(config), std::move(protocol));
}

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
