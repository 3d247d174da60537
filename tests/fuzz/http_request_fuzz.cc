// Any bytes as a request: the head is read or refused, a body that is read is within its limit, and comes out
// the same however its bytes were cut.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/server/request_reader.h"

using namespace quarry::api;

namespace {

constexpr std::uint64_t most_bytes = 4'096;

void require(bool promise) {
    if (!promise) std::abort();
}

// The body, or "!" if it was refused, or "?" if it is not at its end.
std::string read(BodyFraming framing, std::string_view bytes, std::size_t step) {
    BodyReader reader(framing, most_bytes);
    while (!reader.is_done() && !bytes.empty()) {
        const auto taken = reader.take(bytes.substr(0, step));
        if (!taken) return "!";
        require(*taken <= step && (*taken > 0 || reader.is_done()));
        require(reader.held_bytes() <= 2 * most_bytes);
        bytes.remove_prefix(*taken);
    }
    return reader.is_done() ? "." + reader.body() : "?";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto end = end_of_head(input, 0);
    if (!end) return 0;
    const auto head = parse_request_head(input.substr(0, *end));
    if (!head) {
        require(head.error().status == 400);
        return 0;
    }
    require(!(head->framing.is_chunked && head->framing.length > 0));
    const std::string_view rest = input.substr(*end);
    const std::string whole = read(head->framing, rest, rest.size() + 1);
    require(whole == read(head->framing, rest, 1));
    require(whole.size() <= most_bytes + 1);
    return 0;
}
