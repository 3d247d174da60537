// Messages of a browser in which hostile pages run.
#include <cstdint>
#include <string_view>

#include "browser/devtools.h"
#include "browser/page_events.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)quarry::browser::id_of_beginning(text);
    const auto message = quarry::browser::parse_message(text);
    if (!message) return 0;
    quarry::browser::PageEvents events;
    events.change([](quarry::browser::PageState& state) { state.frame = "F"; });
    events.take(message->method, message->content);
    return 0;
}
