// Where jobs, crawls and pages are kept: in the data folder, or in a database that many hosts share.
#pragma once

#include <cstdint>
#include <string>

#include "app/settings/settings.h"
#include "base/result.h"

namespace quarry::app {

struct StoreAddress {
    enum class Kind : std::uint8_t {
        embedded,  // DATA/quarry.db
        postgres,
        redis,  // jobs and crawls; pages are in DATA/quarry.db all the same
    };
    Kind kind = Kind::embedded;
    std::string url{};  // "" for the embedded one

    // Many hosts may work on it at once. With Redis it is one: its pages are in a folder.
    bool is_shared() const { return kind == Kind::postgres; }

    // A name for the folder of what this host keeps beside it: the same for the same database, whoever logs
    // in there.
    std::string folder_name() const;
};

// The setting store.url (--store, QUARRY_STORE); "redis" means that of store.redis_url (REDIS_URL).
// `invalid_argument` if it names no kind of store there is.
Result<StoreAddress> store_address(const Settings& settings);

}  // namespace quarry::app
