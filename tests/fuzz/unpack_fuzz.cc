// A packed text of any bytes: unpacking never crashes and never makes more than its limit; what it takes for
// valid can be packed and unpacked again; and the bytes themselves, taken as words, come back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "db/packed_text.h"

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void check_round_trip(std::string_view text) {
    const auto packed = quarry::db::pack_text(text);
    require(packed.has_value());
    const auto back = quarry::db::unpack_text(*packed);
    require(back && *back == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_round_trip(bytes);
    if (const auto text = quarry::db::unpack_text(bytes)) {
        require(text->size() <= quarry::db::max_unpacked_bytes);
        check_round_trip(*text);
    }
    return 0;
}
