// Owners have names; protocols that want a UUID for them get one made of the name.
#pragma once

#include <string>
#include <string_view>

#include "model/model_ids.h"

namespace quarry {

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
