// What a service said it is, and whether it may still be believed. Vectors of two models in one collection
// would make its search worthless without anybody noticing, so a service that comes back as another is an
// error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "model/model_collection.h"

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

}  // namespace quarry::embed
