#include "model/collection.h"

#include <doctest/doctest.h>

namespace quarry {

TEST_CASE("an owner's UUID is of version 5, and always the same") {
    const std::string id = owner_uuid("team-a");
    CHECK(id.size() == 36);
    CHECK(id[14] == '5');
    CHECK(id == owner_uuid("team-a"));
    CHECK(id != owner_uuid("team-b"));
}

TEST_CASE("an owner that is a UUID keeps it") {
    CHECK(owner_uuid("0F8FAD5B-D9CB-469F-A165-70867728950E") == "0f8fad5b-d9cb-469f-a165-70867728950e");
}

TEST_CASE("names of owners are plain") {
    CHECK(is_owner_name("team-a"));
    CHECK(is_owner_name("me@example.com"));
    CHECK_FALSE(is_owner_name(""));
    CHECK_FALSE(is_owner_name("a b"));
    CHECK_FALSE(is_owner_name("a~b"));
    CHECK_FALSE(is_owner_name("a/b"));
    CHECK_FALSE(is_owner_name(std::string(65, 'a')));
}

TEST_CASE("each owner has collections of their own") {
    CHECK(owned_collection("local", "docs") == "docs");
    CHECK(owned_collection("team", "docs") == "team~docs");
    CHECK(owned_collection("team", "team~docs") == "team~docs");
    CHECK(owned_collection("team", "other~docs") == "team~other~docs");
    CHECK(owned_collection("team", "") == "team~");
    CHECK(plain_collection("team", "team~docs") == "docs");
    CHECK(plain_collection("local", "team~docs") == "team~docs");
    CHECK(plain_collection("team", "teams~docs") == "teams~docs");
}

}  // namespace quarry
