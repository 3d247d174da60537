// Messages between processes that share a database: anybody who may NOTIFY there can send some.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/postgres/notifier.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto events = quarry::store::postgres::events_from_text(text);
    // What was read is read again the same way.
    const std::string sent = quarry::store::postgres::events_to_text(events);
    if (!sent.empty() && quarry::store::postgres::events_from_text(sent).size() != events.size())
        std::abort();
    return 0;
}
