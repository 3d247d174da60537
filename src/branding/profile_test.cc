#include "branding/profile.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace quarry::branding;
namespace json = boost::json;

namespace {

json::object profile(std::string_view facts) {
    return profile_of(json::parse(facts));
}

json::value at(const json::object& object, std::string_view path) {
    boost::system::error_code problem;
    const json::value whole(object);
    const json::value* found = whole.find_pointer(path, problem);
    return found ? *found : json::value(nullptr);
}

constexpr std::string_view shop = R"json({
    "name": "Stones & Co", "background": "rgb(255, 255, 255)", "header": "rgb(20, 20, 20)", "theme": "#0a7d32",
    "picture": "https://a.example/share.png",
    "styles": {
        "body": {"color": "rgb(51, 51, 51)", "fonts": "\"Open Sans\", Arial, sans-serif", "size": 16, "lineHeight": 24, "weight": 400},
        "h1": {"color": "rgb(0, 0, 0)", "fonts": "Lora, serif", "size": 40, "lineHeight": 48, "weight": 700},
        "h2": {"fonts": "Lora, serif", "size": 28.5}, "small": {"size": 13.333},
        "code": {"fonts": "\"Fira Code\", monospace", "size": 14}},
    "lettering": [
        {"color": "rgb(51, 51, 51)", "fonts": "\"Open Sans\", Arial", "weight": 400, "letters": 900},
        {"color": "rgb(120, 120, 120)", "fonts": "\"Open Sans\"", "weight": 400, "letters": 80},
        {"color": "rgb(200, 0, 0)", "fonts": "\"Open Sans\"", "weight": 300, "letters": 5},
        {"color": "rgb(0, 0, 0)", "fonts": "Lora, serif", "weight": 700, "letters": 40, "isHeading": true},
        {"color": "rgb(60, 60, 60)", "fonts": "\"Open Sans\"", "letters": 50, "isLink": true},
        {"color": "rgb(0, 90, 200)", "fonts": "\"Open Sans\"", "letters": 30, "isLink": true},
        {"color": "rgb(51, 51, 51)", "fonts": "\"Fira Code\"", "letters": 20}],
    "buttons": [
        {"background": "rgb(10, 125, 50)", "color": "rgb(255, 255, 255)", "radius": "8px", "area": 4000, "isAction": true},
        {"background": "rgba(0, 0, 0, 0)", "color": "rgb(10, 125, 50)", "border": "rgb(10, 125, 50)", "radius": "8px", "area": 4000},
        {"background": "rgb(10, 125, 50)", "color": "rgb(255, 255, 255)", "radius": "4px", "area": 900}],
    "inputs": [{"background": "rgb(250, 250, 250)", "color": "rgb(0, 0, 0)", "border": "rgb(204, 204, 204)", "radius": "8px"}],
    "variables": [{"name": "--color-success", "color": "rgb(0, 128, 0)"}, {"name": "--text-error", "color": "rgb(1, 1, 1)"},
                  {"name": "--color-secondary", "color": "rgb(255, 0, 255)"}],
    "logos": [{"url": "https://a.example/logo.svg", "words": "Logo", "inHeader": true, "leadsHome": true, "width": 100, "height": 30}],
    "icons": [{"relation": "icon", "url": "https://a.example/favicon.ico"}],
    "distances": [8, 16, 24, 16, 13, 32]})json";

}  // namespace

TEST_CASE("a page's colours are named by what they are used for") {
    const json::object found = profile(shop);

    CHECK(at(found, "/colorScheme") == "light");
    CHECK(at(found, "/colors") == json::value{{"primary", "#0A7D32"},
                                              {"secondary", "#141414"},
                                              {"accent", "#005AC8"},
                                              {"background", "#FFFFFF"},
                                              {"textPrimary", "#333333"},
                                              {"textSecondary", "#787878"},
                                              {"link", "#005AC8"},
                                              {"success", "#008000"}});
}

TEST_CASE("a page's fonts have their roles, sizes and weights") {
    const json::object found = profile(shop);

    CHECK(at(found, "/fonts") == json::value{{{"family", "Open Sans"}, {"role", "body"}},
                                             {{"family", "Lora"}, {"role", "heading"}},
                                             {{"family", "Fira Code"}, {"role", "monospace"}}});
    CHECK(at(found, "/typography/fontFamilies") ==
          json::value{{"primary", "Open Sans"}, {"heading", "Lora"}, {"code", "Fira Code"}});
    CHECK(at(found, "/typography/fontStacks/primary") == json::value{"Open Sans", "Arial", "sans-serif"});
    CHECK(at(found, "/typography/fontSizes") ==
          json::value{{"h1", "40px"}, {"h2", "28.5px"}, {"body", "16px"}, {"small", "13.33px"}});
    CHECK(at(found, "/typography/lineHeights") == json::value{{"heading", 1.2}, {"body", 1.5}});
    CHECK(at(found, "/typography/fontWeights") ==
          json::value{{"light", 300}, {"regular", 400}, {"bold", 700}});
}

TEST_CASE("a page's buttons, fields and distances are described") {
    const json::object found = profile(shop);

    CHECK(at(found, "/components/buttonPrimary") ==
          json::value{{"background", "#0A7D32"}, {"textColor", "#FFFFFF"}, {"borderRadius", "8px"}});
    CHECK(at(found, "/components/buttonSecondary") == json::value{{"background", "transparent"},
                                                                  {"textColor", "#0A7D32"},
                                                                  {"borderColor", "#0A7D32"},
                                                                  {"borderRadius", "8px"}});
    CHECK(at(found, "/components/input/borderColor") == "#CCCCCC");
    CHECK(at(found, "/spacing") == json::value{{"baseUnit", 8}, {"borderRadius", "8px"}});
}

TEST_CASE("a page's name and images are given") {
    const json::object found = profile(shop);

    CHECK(at(found, "/brandName") == "Stones & Co");
    CHECK(at(found, "/logo") == "https://a.example/logo.svg");
    CHECK(at(found, "/images") == json::value{{"logo", "https://a.example/logo.svg"},
                                              {"favicon", "https://a.example/favicon.ico"},
                                              {"ogImage", "https://a.example/share.png"}});
}

TEST_CASE("a dark page is dark, and what shines through is seen on it") {
    const json::object found = profile(R"json({"background": "rgb(10, 10, 20)",
        "buttons": [{"background": "rgba(255, 255, 255, 0.5)", "color": "rgb(0, 0, 0)"}]})json");

    CHECK(at(found, "/colorScheme") == "dark");
    CHECK(at(found, "/colors/primary") == "#85858A");
    CHECK(at(found, "/components/buttonPrimary/background") == "#85858A");
}

TEST_CASE("a vivid colour goes before a grey, and black buttons are better than nothing") {
    const std::string_view grey = R"json({"background": "rgb(20, 20, 20)", "isAction": true})json";

    CHECK(at(profile(fmt::format(R"json({{"buttons": [{}], "theme": "rgb(200, 30, 30)"}})json", grey)),
             "/colors/primary") == "#C81E1E");
    CHECK(at(profile(fmt::format(R"json({{"buttons": [{}]}})json", grey)), "/colors/primary") == "#141414");
}

TEST_CASE("a colour that a page names counts only if the page uses it") {
    const std::string_view buttons = R"json("buttons": [{"background": "rgb(200, 30, 30)"}])json";
    const std::string_view link =
        R"json("lettering": [{"color": "rgb(13, 110, 253)", "letters": 9, "isLink": true}])json";
    const std::string_view variable =
        R"json("variables": [{"name": "--bs-primary", "color": "#0d6efd"}])json";

    CHECK(at(profile(fmt::format("{{{},{}}}", buttons, variable)), "/colors/primary") == "#C81E1E");
    CHECK(at(profile(fmt::format("{{{},{},{}}}", buttons, link, variable)), "/colors/primary") == "#0D6EFD");
}

TEST_CASE("of a page that says nothing, nothing is invented") {
    for (const std::string_view facts : {"{}", "null", "[]", "7", R"json("text")json"}) {
        CAPTURE(facts);
        CHECK(profile(facts) ==
              json::object{{"colorScheme", "light"}, {"colors", {{"background", "#FFFFFF"}}}});
    }
}

TEST_CASE("what has another form than it should have is left out") {
    const json::object found =
        profile(R"json({"name": 5, "background": ["red"], "theme": "url(x)", "styles": [],
        "lettering": {"a": 1}, "buttons": [1, null, {"background": "expression(1)", "radius": "calc(1px);x"}],
        "logos": [{"url": "javascript:alert(1)", "words": "logo", "inHeader": true, "leadsHome": true, "width": 99, "height": 20}],
        "icons": [{"relation": "icon", "url": "file:///etc/passwd"}], "picture": "data:text/html,x",
        "distances": [-1, 1e400, "8", null]})json");

    CHECK(found == json::object{{"colorScheme", "light"}, {"colors", {{"background", "#FFFFFF"}}}});
}

TEST_CASE("a logo that is drawn in the page is an image of its own") {
    constexpr std::string_view drawing = "data:image/svg+xml;base64,PHN2Zy8+";

    CHECK(
        at(profile(fmt::format(
               R"json({{"logos": [{{"url": "{}", "inHeader": true, "leadsHome": true, "width": 90, "height": 20}}]}})json",
               drawing)),
           "/logo") == json::value(drawing));
}
