#include "api/server/multipart.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace quarry;
using namespace quarry::api;

namespace {

constexpr const char* form_type = "multipart/form-data; boundary=b";

std::string part(std::string_view name, std::string_view body, std::string_view more = "") {
    return fmt::format("--b\r\nContent-Disposition: form-data; name=\"{}\"{}\r\n\r\n{}\r\n", name, more,
                       body);
}

}  // namespace

TEST_CASE("a form's parts have names, types and bodies, byte for byte") {
    const std::string pdf("%PDF\0\r\n--\r\n--bb\r\n--", 20);
    const std::string body = part("options", R"({"formats":["markdown"]})") +
                             part("file", pdf, "; filename=\"a b.pdf\"\r\nContent-Type: application/pdf") +
                             "--b--\r\nafterwards";

    const auto parts = parse_multipart(form_type, body);

    REQUIRE(parts);
    REQUIRE(parts->size() == 2);
    CHECK((*parts)[0].name == "options");
    CHECK((*parts)[0].filename.empty());
    CHECK((*parts)[0].body == R"({"formats":["markdown"]})");
    CHECK((*parts)[1].name == "file");
    CHECK((*parts)[1].filename == "a b.pdf");
    CHECK((*parts)[1].content_type == "application/pdf");
    CHECK((*parts)[1].body == pdf);
}

TEST_CASE("names are read as browsers and libraries write them") {
    struct Row {
        const char* disposition;
        const char* name;
        const char* filename;
    };
    const Row rows[] = {
        {"form-data; name=\"file\"; filename=\"a.html\"", "file", "a.html"},
        {"FORM-DATA;NAME=file;FileName=a.html", "file", "a.html"},
        {"form-data; filename=\"a;b=c.html\"; name=\"file\"", "file", "a;b=c.html"},
        {"form-data; name=\"a%22b\"; filename=\"%0D%0A%41\"", "a\"b", "\r\n%41"},
        {"form-data; name=\"a\\\"b\"; filename=\"C:\\dir\\x.pdf\"", "a\"b", "C:\\dir\\x.pdf"},
        {"form-data; name=\"file\"; filename=\"ü.pdf\"", "file", "ü.pdf"},
        {"form-data; name=\"open", "open", ""},
        {"form-data", "", ""},
        {"form-data;;; = ;name=", "", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.disposition);
        const auto parts = parse_multipart(
            form_type, fmt::format("--b\r\ncontent-disposition: {}\r\n\r\nx\r\n--b--", row.disposition));
        REQUIRE(parts);
        REQUIRE(parts->size() == 1);
        CHECK(parts->front().name == row.name);
        CHECK(parts->front().filename == row.filename);
    }
}

TEST_CASE("boundaries stand alone on their lines") {
    struct Row {
        const char* type;
        const char* body;
        std::vector<std::string_view> bodies;
    };
    const char* const quoted = "multipart/form-data; boundary=\"a b'():=?\"";
    const Row rows[] = {
        {form_type, "--b--", {}},
        {form_type, "before\r\n--b\r\n\r\nx\r\n--b--", {"x"}},
        {form_type, "--b \t\r\n\r\nx\r\n--b--", {"x"}},
        {form_type, "--b\r\n\r\n\r\n--b\r\n\r\ny\r\n--b--", {"", "y"}},
        {form_type, "--b\r\n\r\nx\n--b--\r\n--b--", {"x\n--b--"}},
        {form_type, "--b\r\n\r\nx\r\n--bc\r\n--b--", {"x\r\n--bc"}},
        {form_type, "--bc\r\n--b\r\n\r\nx\r\n--b--", {"x"}},
        {quoted, "--a b'():=?\r\n\r\nx\r\n--a b'():=?--", {"x"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.body);
        const auto parts = parse_multipart(row.type, row.body);
        REQUIRE(parts);
        REQUIRE(parts->size() == row.bodies.size());
        for (std::size_t i = 0; i < parts->size(); ++i) CHECK((*parts)[i].body == row.bodies[i]);
    }
}

TEST_CASE("what is no form, or more than one may be, is refused") {
    struct Row {
        std::string type;
        std::string body;
        ErrorCode code;
    };
    std::string many;
    for (int i = 0; i < 33; ++i) many += part("a", "x");
    const Row rows[] = {
        {"application/json", "{}", ErrorCode::unsupported},
        {"", "--b--", ErrorCode::unsupported},
        {"multipart/form-data", "--b--", ErrorCode::invalid_argument},
        {"multipart/form-data; boundary=\"\"", "----", ErrorCode::invalid_argument},
        {"multipart/form-data; boundary=\"a \"", "--a --", ErrorCode::invalid_argument},
        {"multipart/form-data; boundary=" + std::string(71, 'a'), "", ErrorCode::invalid_argument},
        {form_type, "", ErrorCode::invalid_argument},
        {form_type, "--b", ErrorCode::invalid_argument},
        {form_type, "--b\r\n\r\nx", ErrorCode::invalid_argument},
        {form_type, "--b\r\n\r\nx\r\n--b", ErrorCode::invalid_argument},
        {form_type, "--b\r\nA: b\r\n--b--", ErrorCode::invalid_argument},
        {form_type, "--b\r\n--b--", ErrorCode::invalid_argument},
        {form_type, "--b\r\nno colon\r\n\r\nx\r\n--b--", ErrorCode::invalid_argument},
        {form_type, "--b\r\nContent-Disposition: attachment\r\n\r\nx\r\n--b--", ErrorCode::invalid_argument},
        {form_type, "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--", ErrorCode::unsupported},
        {form_type, many + "--b--", ErrorCode::too_large},
        {form_type, "--b\r\nA: " + std::string(9'000, 'a') + "\r\n\r\nx\r\n--b--", ErrorCode::too_large},
    };
    for (const Row& row : rows) {
        CAPTURE(row.type);
        CAPTURE(row.body.substr(0, 60));
        const auto parts = parse_multipart(row.type, row.body);
        REQUIRE_FALSE(parts);
        CHECK(parts.error().code == row.code);
    }
}
