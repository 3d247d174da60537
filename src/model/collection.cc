#include "model/collection.h"

#include <algorithm>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "model/ids.h"

namespace quarry {

Error no_such_collection(std::string_view name, const std::vector<Collection>& known) {
    std::string names;
    for (const Collection& collection : known)
        names += fmt::format("{}{}", names.empty() ? "; there are: " : ", ", collection.name);
    if (names.empty()) names = ". There is none yet: quarry crawl and quarry import make them";
    return {ErrorCode::not_found, fmt::format("no collection \"{}\"{}", name, names)};
}

namespace {

// Ours: drawn once, so that nobody else's name gives the same UUID.
constexpr boost::uuids::uuid name_space = {
    {0x5b, 0x0e, 0x5d, 0x2c, 0x8a, 0x41, 0x4f, 0x0e, 0x9d, 0x6b, 0x71, 0x75, 0x61, 0x72, 0x72, 0x79}};

}  // namespace

std::string owner_uuid(std::string_view owner) {
    if (is_uuid(owner)) return lower_case(owner);
    const boost::uuids::name_generator_sha1 generate(name_space);
    return boost::uuids::to_string(generate(owner.data(), owner.size()));
}

bool is_owner_name(std::string_view name) {
    constexpr std::size_t most = 64;
    const auto belongs = [](char c) {
        return is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("._@-").contains(c);
    };
    return !name.empty() && name.size() <= most && std::ranges::all_of(name, belongs);
}

std::string owned_collection(std::string_view owner, std::string_view name) {
    if (owner == local_owner) return std::string(name);
    return std::string(owner) + '~' + std::string(plain_collection(owner, name));
}

std::string private_collection(GroupId group) {
    return '#' + std::to_string(number(group));
}

std::string_view plain_collection(std::string_view owner, std::string_view name) {
    const bool is_theirs = owner != local_owner && name.size() > owner.size() && name.starts_with(owner) &&
                           name[owner.size()] == '~';
    return is_theirs ? name.substr(owner.size() + 1) : name;
}

}  // namespace quarry
