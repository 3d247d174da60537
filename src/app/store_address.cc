#include "app/store_address.h"

#include "base/sha256.h"

namespace quarry::app {

std::string StoreAddress::folder_name() const {
    const std::size_t begin = url.find("://") + 3;
    const std::size_t end = url.find_first_of("/?", begin);
    const std::size_t at = url.rfind('@', end);
    const bool has_user = at != std::string::npos && at >= begin;
    std::string place = url.substr(has_user ? at + 1 : begin);
    place = place.substr(0, place.find('?'));
    const std::string_view name = kind == Kind::redis ? "redis-" : "postgres-";
    return std::string(name) + hex_of(sha256(place)).substr(0, 8);
}

Result<StoreAddress> store_address(const Settings& settings) {
    std::string url = settings.text("store.url");
    if (url.empty()) return StoreAddress{};
    if (url == "redis") {
        url = settings.text("store.redis_url");
        if (!url.starts_with("redis://") && !url.starts_with("rediss://"))
            return fail(ErrorCode::invalid_argument,
                        "store.redis_url (REDIS_URL) has to be redis://HOST or rediss://HOST");
    }
    if (url.starts_with("postgres://") || url.starts_with("postgresql://"))
        return StoreAddress{.kind = StoreAddress::Kind::postgres, .url = url};
    if (url.starts_with("redis://") || url.starts_with("rediss://"))
        return StoreAddress{.kind = StoreAddress::Kind::redis, .url = url};
    return fail(ErrorCode::invalid_argument,
                "store.url (--store) is postgres://USER:PASSWORD@HOST/DATABASE, redis://HOST, redis for the "
                "one that REDIS_URL names, or empty for a store in the data folder");
}

}  // namespace quarry::app
