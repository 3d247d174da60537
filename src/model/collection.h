// A collection is a named set of pages with one embedder, searched together. Its full name carries the
// owner to whom it belongs. Owners have names; protocols that want a UUID get one made of the name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"

namespace quarry {

// A named set of pages with one embedder, searched together.

// Where the vectors of a collection come from. Vectors of two of these never meet.
struct EmbedderFacts {
    std::string provider{};  // "builtin", "tei", "openai", or "none": found by words alone
    std::string model{};     // as the service names it; "" for builtin
    int dimensions = 0;
    std::string version{};  // what else tells two states of a model apart: TEI's model_sha

    friend bool operator==(const EmbedderFacts&, const EmbedderFacts&) = default;
};

struct Collection {
    std::string name{};
    EmbedderFacts embedder{};  // dimensions 0: nothing has been embedded yet
    Timestamp created_at{};
    std::int64_t pages = 0;
};

// "no collection "x"; there are: docs, news". `not_found`.
Error no_such_collection(std::string_view name, const std::vector<Collection>& known);

// Owners have names; protocols that want a UUID for them get one made of the name.

// The owner of whatever is done on this machine without a key.
inline constexpr std::string_view local_owner = "local";

// A name that is a UUID stays it; of another the UUID (version 5) is always the same.
std::string owner_uuid(std::string_view owner);

// Letters, digits and "._@-", at most 64: fit for names of collections, logs and URLs.
bool is_owner_name(std::string_view name);

// What a collection of an owner is called in the store, and what the owner calls it. Those of the machine's
// own user have their plain names. A name that is in the store already stays as it is.
std::string owned_collection(std::string_view owner, std::string_view name);
std::string_view plain_collection(std::string_view owner, std::string_view name);
// Of the pages of a crawl without retention, which are nobody else's to see.
std::string private_collection(GroupId group);

}  // namespace quarry
