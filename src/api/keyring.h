// The keys of a server: whose a token is. Read from the store now and then, so that a key which was just made
// or revoked counts within a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "model/access.h"
#include "store/reader.h"

namespace quarry::api {

KeyHash hash_of_key(std::string_view key);

class Keyring {
public:
    // Whether what it knows is old enough to be read again. Any thread.
    bool is_stale() const;
    Result<void> read(store::Reader& reader);
    // How often it was read: whoever has to know what is different looks again when this is.
    std::uint64_t reads() const;

    // No key was ever made. One that is revoked leaves a server that asks for keys.
    bool is_empty() const;
    // Nothing if there is no such key. The time it takes tells nothing about the keys there are.
    std::optional<std::string> owner_of(std::string_view token) const;
    std::optional<std::int64_t> key_of(std::string_view token) const;
    // The standard ones if nothing else was said.
    store::OwnerLimits limits(const std::string& owner) const;

private:
    struct Known {
        std::vector<ApiKey> keys{};  // none that is revoked
        bool has_any = false;        // also revoked ones
        std::map<std::string, store::OwnerLimits> limits{};
        std::optional<std::chrono::steady_clock::time_point> read_at{};
        std::uint64_t reads = 0;
    };
    std::optional<ApiKey> find(std::string_view token) const;

    Guarded<Known> known_;
};

}  // namespace quarry::api
