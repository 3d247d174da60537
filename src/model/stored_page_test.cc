#include "model/stored_page.h"

#include <doctest/doctest.h>

using namespace quarry;

TEST_CASE("media are found again in what they were packed into, by their tokens alone") {
    const std::string first = new_media_token(), second = new_media_token();
    const std::string packed =
        pack_media({{first, "image/png", std::string("\0\x89PNG", 5)}, {second, "application/pdf", ""}});

    CHECK(first != second);
    CHECK(find_media(packed, first)->type == "image/png");
    CHECK(find_media(packed, first)->bytes == std::string("\0\x89PNG", 5));
    CHECK(find_media(packed, second)->bytes.empty());
    CHECK_FALSE(find_media(packed, new_media_token()));
    CHECK_FALSE(find_media("", first));
}

TEST_CASE("packed media that were cut off are not read beyond their end") {
    const std::string token = new_media_token();
    const std::string packed = pack_media({{token, "image/png", "bytes"}});

    for (std::size_t length = 0; length < packed.size(); ++length)
        CHECK_FALSE(find_media(std::string_view(packed).substr(0, length), token));
}

TEST_CASE("the name of a medium leads to the version that has it, and tells nothing else") {
    const std::string token = new_media_token();
    const std::string name = media_name(ContentId{77}, token);

    CHECK(name.size() == 48);
    CHECK(parse_media_name(name)->version == ContentId{77});
    CHECK(parse_media_name(name)->token == token);
    CHECK(name.find("000000") == std::string::npos);
}

TEST_CASE("what is no name of a medium is none") {
    const std::string name = media_name(ContentId{77}, new_media_token());

    for (const std::string& text : {std::string(), name.substr(1), name + "0", "G" + name.substr(1),
                                    name.substr(0, 47) + "x", std::string(48, '/')}) {
        CAPTURE(text);
        CHECK_FALSE(parse_media_name(text));
    }
}
