// Cron expressions of any bytes: what parses has a next moment that lies ahead, falls on a whole minute, and
// comes no earlier when asked from later.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/cron.h"

using quarry::CronExpression;
using quarry::Timestamp;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto expression = CronExpression::parse(text);
    if (!expression) {
        require(!expression.error().message.empty());
        return 0;
    }
    const Timestamp now(std::chrono::milliseconds(1'760'000'000'123));
    const auto next = expression->next_after(now);
    if (!next) return 0;
    require(*next > now);
    const bool is_interval = text.find('@') != std::string_view::npos;
    require(is_interval || next->time_since_epoch().count() % 60'000 == 0);
    require(is_interval || expression->next_after(*next - std::chrono::minutes(1)) == *next);
    return 0;
}
