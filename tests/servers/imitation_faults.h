// What an imitated service does wrong, and when: a script that tests write, in code or over HTTP.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "servers/connection.h"

namespace quarry::test {

enum class Fault {
    none,
    reset,             // the connection ends without an answer: the service died
    cut,               // it ends in the middle of the answer
    never,             // no answer at all
    garbage,           // 200, and something that is not JSON
    wrong_count,       // one result too few
    not_a_number,      // NaN, which JSON writers write as null
    wrong_dimensions,  // vectors one number short
    refuse_key,        // 401
    forbid,            // 403
    too_large,         // 413
    batch_size,        // 422 of TEI; the status a service has for too many at once
    too_long,          // a text with more tokens than the model takes
    overloaded,        // 429
    overloaded_7s,     // 429 with Retry-After: 7
    overloaded_1h,     // 429 with Retry-After: 3600
    backend,           // 424
    unavailable,       // 503
    internal,          // 500
    out_of_storage,    // 507
    unfinished,        // of Qdrant: the change is acknowledged, not completed
    echo_key,          // 400 that repeats the Authorization header
};

// Nothing if there is no fault of that name.
std::optional<Fault> fault_named(std::string_view name);

// Any thread.
class FaultScript {
public:
    void next(Fault fault, int times = 1);  // of the following requests, in the order of the calls
    void always(Fault fault);               // of all requests after those; none: well again
    Fault take();

    // Of every request in whose body there is this word, in which nothing else goes wrong.
    void for_word(std::string word, Fault fault);
    Fault of_body(std::string_view body);

private:
    struct State {
        std::string word{};
        Fault of_word = Fault::none;
        std::deque<Fault> next{};
        Fault always = Fault::none;
    };
    Guarded<State> state_;
};

// Faults that look the same whatever the service. False if this fault is none of them: the service does it.
bool commit_fault(Fault fault, const ServerRequest& request, Connection& connection);

}  // namespace quarry::test
