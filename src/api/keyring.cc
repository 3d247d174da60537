#include "api/keyring.h"

#include "base/sha256.h"
#include "model/collection.h"

namespace quarry::api {
namespace {

constexpr std::chrono::seconds fresh_for{1};

// Looks at every byte, however early the two differ.
bool is_same(const KeyHash& a, const KeyHash& b) {
    unsigned difference = 0;
    for (std::size_t index = 0; index < a.size(); ++index)
        difference |= static_cast<unsigned>(a[index] ^ b[index]);
    return difference == 0;
}

}  // namespace

KeyHash hash_of_key(std::string_view key) {
    return sha256(key);
}

bool Keyring::is_stale() const {
    return known_.with([](const Known& known) {
        return !known.read_at || std::chrono::steady_clock::now() - *known.read_at >= fresh_for;
    });
}

Result<void> Keyring::read(store::Reader& reader) {
    Known fresh;
    for (ApiKey& key : TRY(reader.keys())) {
        fresh.has_any = true;
        if (!key.revoked_at) fresh.keys.push_back(std::move(key));
    }
    fresh.limits[std::string(local_owner)];
    for (const ApiKey& key : fresh.keys) fresh.limits[key.owner];
    for (auto& [owner, limits] : fresh.limits) limits = TRY(reader.limits(owner)).value_or(limits);
    // Its age counts from here: however long the reading took, those who waited for it find it fresh.
    fresh.read_at = std::chrono::steady_clock::now();
    known_.with([&](Known& known) {
        fresh.reads = known.reads + 1;
        known = std::move(fresh);
    });
    return {};
}

std::uint64_t Keyring::reads() const {
    return known_.with([](const Known& known) { return known.reads; });
}

bool Keyring::is_empty() const {
    return known_.with([](const Known& known) { return !known.has_any; });
}

std::optional<ApiKey> Keyring::find(std::string_view token) const {
    const KeyHash hash = hash_of_key(token);
    return known_.with([&](const Known& known) {
        std::optional<ApiKey> found;
        for (const ApiKey& key : known.keys)
            if (is_same(key.hash, hash)) found = key;
        return found;
    });
}

std::optional<std::string> Keyring::owner_of(std::string_view token) const {
    auto key = find(token);
    if (!key) return std::nullopt;
    return std::move(key->owner);
}

std::optional<std::int64_t> Keyring::key_of(std::string_view token) const {
    const auto key = find(token);
    return key ? std::optional(key->id) : std::nullopt;
}

store::OwnerLimits Keyring::limits(const std::string& owner) const {
    return known_.with([&](const Known& known) {
        const auto found = known.limits.find(owner);
        return found == known.limits.end() ? store::OwnerLimits{} : found->second;
    });
}

}  // namespace quarry::api
