#include "html/encoding/labels.h"

#include <fstream>
#include <iterator>
#include <string>

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace quarry::html;

TEST_CASE("labels name the encoding that browsers understand by them") {
    const struct {
        std::string_view label, name;
    } cases[] = {
        {"utf8", "UTF-8"},
        {"UTF-8", "UTF-8"},
        {" \t\n\f\rutf-8 ", "UTF-8"},
        {"latin1", "windows-1252"},
        {"ascii", "windows-1252"},
        {"ISO-8859-9", "windows-1254"},
        {"gb2312", "GBK"},
        {"ks_c_5601-1987", "EUC-KR"},
        {"x-sjis", "Shift_JIS"},
        {"iso-2022-kr", "replacement"},
        {"unicode", "UTF-16LE"},
        {"logical", "ISO-8859-8-I"},
    };
    for (const auto& [label, name] : cases) {
        CAPTURE(label);
        const auto encoding = find_encoding(label);
        REQUIRE(encoding);
        CHECK(encoding_name(*encoding) == name);
    }
    for (const std::string_view label :
         {"", " ", "utf", "utf-8 utf8", "utf-7", "\vutf-8", "utf-8;", "cp437"}) {
        CAPTURE(label);
        CHECK_FALSE(find_encoding(label));
    }
}

TEST_CASE("every label of the Encoding Standard is known") {
    std::ifstream file(QUARRY_SUITES "/suites/encoding/encodings.json");
    if (!file) {
        MESSAGE("skipped: no encodings.json");
        return;
    }
    const auto groups = boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    int labels = 0;
    for (const auto& group : groups.as_array()) {
        for (const auto& encoding : group.at("encodings").as_array()) {
            for (const auto& label : encoding.at("labels").as_array()) {
                CAPTURE(label.as_string());
                const auto found = find_encoding(std::string_view(label.as_string()));
                REQUIRE(found);
                CHECK(encoding_name(*found) == std::string_view(encoding.at("name").as_string()));
                ++labels;
            }
        }
    }
    CHECK(labels == 228);
}
