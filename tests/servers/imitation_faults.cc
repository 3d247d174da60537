#include "servers/imitation_faults.h"

#include <array>
#include <string>
#include <utility>

namespace quarry::test {

namespace {

constexpr std::array names{
    std::pair{"none", Fault::none},
    std::pair{"reset", Fault::reset},
    std::pair{"cut", Fault::cut},
    std::pair{"never", Fault::never},
    std::pair{"garbage", Fault::garbage},
    std::pair{"wrong_count", Fault::wrong_count},
    std::pair{"not_a_number", Fault::not_a_number},
    std::pair{"wrong_dimensions", Fault::wrong_dimensions},
    std::pair{"refuse_key", Fault::refuse_key},
    std::pair{"forbid", Fault::forbid},
    std::pair{"too_large", Fault::too_large},
    std::pair{"batch_size", Fault::batch_size},
    std::pair{"too_long", Fault::too_long},
    std::pair{"overloaded", Fault::overloaded},
    std::pair{"overloaded_7s", Fault::overloaded_7s},
    std::pair{"overloaded_1h", Fault::overloaded_1h},
    std::pair{"backend", Fault::backend},
    std::pair{"unavailable", Fault::unavailable},
    std::pair{"internal", Fault::internal},
    std::pair{"out_of_storage", Fault::out_of_storage},
    std::pair{"unfinished", Fault::unfinished},
    std::pair{"echo_key", Fault::echo_key},
};

const Header json_type{"Content-Type", "application/json"};

}  // namespace

std::optional<Fault> fault_named(std::string_view name) {
    for (const auto& [known, fault] : names)
        if (known == name) return fault;
    return std::nullopt;
}

void FaultScript::next(Fault fault, int times) {
    state_.with(
        [&](State& state) { state.next.insert(state.next.end(), static_cast<std::size_t>(times), fault); });
}

void FaultScript::always(Fault fault) {
    state_.with([&](State& state) { state.always = fault; });
}

Fault FaultScript::take() {
    return state_.with([](State& state) {
        if (state.next.empty()) return state.always;
        const Fault fault = state.next.front();
        state.next.pop_front();
        return fault;
    });
}

void FaultScript::for_word(std::string word, Fault fault) {
    state_.with([&](State& state) {
        state.word = std::move(word);
        state.of_word = fault;
    });
}

Fault FaultScript::of_body(std::string_view body) {
    return state_.with([&](const State& state) {
        const bool has_word = !state.word.empty() && body.find(state.word) != body.npos;
        return has_word ? state.of_word : Fault::none;
    });
}

bool commit_fault(Fault fault, const ServerRequest& request, Connection& connection) {
    switch (fault) {
        case Fault::reset: connection.reset(); return true;
        case Fault::cut:
            connection.send_head(200, {json_type, {"Content-Length", "100000"}});
            connection.send("[[0.25,");
            connection.close_after_this();
            return true;
        case Fault::never: connection.wait_for_close(); return true;
        case Fault::garbage: connection.respond(200, {json_type}, "<html>\xff welcome to nginx"); return true;
        case Fault::internal: connection.respond(500, {}, "oops"); return true;
        case Fault::echo_key: {
            std::string key(header_value(request.headers, "Authorization"));
            if (key.empty()) key = header_value(request.headers, "api-key");
            connection.respond(400, {}, "I do not like your key: " + key);
            return true;
        }
        default: return false;
    }
}

}  // namespace quarry::test
