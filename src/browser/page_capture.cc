// Pictures and PDFs of a page.
#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "browser/page.h"
#include "browser/browser_page_scripts.h"

namespace quarry::browser {
namespace {

namespace json = boost::json;

// Chromium's own limit for a surface; a page may be as tall as it likes.
constexpr double most_pixels_high = 16'384;
constexpr int most_steps = 40;  // through a page that loads what comes into view

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};

Box box_of(const json::object& object) {
    return {number_at(object, "x"), number_at(object, "y"), number_at(object, "width"),
            number_at(object, "height")};
}

json::object clip_of(const Box& box) {
    return {{"x", box.x},
            {"y", box.y},
            {"width", std::clamp(std::ceil(box.width), 1.0, most_pixels_high)},
            {"height", std::clamp(std::ceil(box.height), 1.0, most_pixels_high)},
            {"scale", 1}};
}

Result<Box> place_of(Page& page, const std::string& selector) {
    const json::value boxes = TRY(page.run(boxes_script, {selector, 1}));
    if (!boxes.is_array() || boxes.get_array().empty() || !boxes.get_array()[0].is_object())
        return fail(ErrorCode::not_found, fmt::format("no element matches \"{}\"", selector));
    const Box box = box_of(boxes.get_array()[0].get_object());
    if (box.width < 1 || box.height < 1)
        return fail(ErrorCode::not_found, fmt::format("the element \"{}\" does not show", selector));
    return box;
}

std::string_view name_of(PictureKind kind) {
    constexpr std::array<std::string_view, 3> names = {"png", "jpeg", "webp"};
    return names[static_cast<std::size_t>(kind)];
}

Result<std::string> bytes_of(const json::object& answer) {
    auto bytes = decode_base64(text_at(answer, "data"));
    if (!bytes || bytes->empty()) return fail(ErrorCode::corrupt, "the browser gave no picture");
    return *std::move(bytes);
}

struct Paper {
    std::string_view name;
    double width, height;  // inches
};
constexpr Paper papers[] = {{"a0", 33.1, 46.8}, {"a1", 23.4, 33.1},  {"a2", 16.54, 23.4}, {"a3", 11.7, 16.54},
                            {"a4", 8.27, 11.7}, {"a5", 5.83, 8.27},  {"a6", 4.13, 5.83},  {"letter", 8.5, 11},
                            {"legal", 8.5, 14}, {"tabloid", 11, 17}, {"ledger", 17, 11}};

}  // namespace

Result<std::string> Page::picture(const PictureWish& wish) {
    json::object parameters{{"format", name_of(wish.kind)}, {"captureBeyondViewport", false}};
    if (wish.kind != PictureKind::png) parameters["quality"] = std::clamp(wish.quality, 1, 100);
    if (wish.viewport) {
        TRY(call("Emulation.setDeviceMetricsOverride", {{"width", wish.viewport->width},
                                                        {"height", wish.viewport->height},
                                                        {"deviceScaleFactor", 1},
                                                        {"mobile", request_.mobile}}));
    }
    if (!wish.selector.empty()) {
        parameters["clip"] = clip_of(TRY(place_of(*this, wish.selector)));
        parameters["captureBeyondViewport"] = true;
    } else if (wish.full_page) {
        TRY(run(walk_script, {most_steps}));
        TRY(wait_quiet(deadline_));
        const auto metrics = TRY(call("Page.getLayoutMetrics"));
        parameters["clip"] = clip_of(box_of(object_at(metrics, "cssContentSize")));
        parameters["captureBeyondViewport"] = true;
    }
    return bytes_of(TRY(call("Page.captureScreenshot", std::move(parameters))));
}

Result<std::string> Page::pdf(const PdfWish& wish) {
    const auto paper = std::ranges::find(papers, lower_case(wish.paper), &Paper::name);
    if (paper == std::end(papers))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is no paper: A0 to A6, Letter, Legal, Tabloid, Ledger", wish.paper));
    return bytes_of(TRY(call("Page.printToPDF", {{"printBackground", true},
                                                 {"landscape", wish.landscape},
                                                 {"scale", std::clamp(wish.scale, 0.1, 2.0)},
                                                 {"paperWidth", paper->width},
                                                 {"paperHeight", paper->height}})));
}

}  // namespace quarry::browser
