// What another process publishes, as any bytes: bounded, and never more events than a message may have.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/redis/news.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view message(reinterpret_cast<const char*>(data), size);
    if (quarry::store::redis::events_of_message(message, 1).size() > 100) std::abort();
    return 0;
}
