// What a person can ask of one page: the forms in which its document is wanted, values of attributes, data
// and answers, and how a browser shows it, acts on it and takes pictures of it. Values only. Nothing that
// is not asked for is computed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry {

// The forms in which a document can be asked for. Nothing that is not asked for is computed.

struct Formats {
    bool markdown = true;
    bool html = false;      // the main content as cleaned HTML
    bool raw_html = false;  // the whole page as it was sent, converted to UTF-8
    bool text = false;      // the main content as plain text
    bool links = false;
    bool images = false;
    bool branding = false;  // how the page looks: colours, fonts, logo; seen in a browser only
    bool metadata = true;

    // True if the document's own words were asked for, so that a page without any is a failure.
    bool wants_content() const { return markdown || html || text; }
};

// Reads a list such as "markdown,rawHtml". Only what is named is wanted. Fails with `invalid_argument` on an
// unknown name or an empty list; the sentence says which names there are.
Result<Formats> parse_formats(std::string_view list);

// Values of attributes that somebody asks a page for, by selector.

struct AttributeWish {
    std::string selector{};   // CSS
    std::string attribute{};  // "href", "data-id"

    friend bool operator==(const AttributeWish&, const AttributeWish&) = default;
};

struct AttributeValues {
    std::string selector{};
    std::string attribute{};
    std::vector<std::string> values{};  // as the page has them, in its order
};

// Data and answers that are wanted of a page, beside its words.

struct DataWish {
    bool wants_json = false;
    std::string schema{};  // JSON; "": none
    std::string prompt{};
    bool wants_summary = false;
    std::string question{};    // "": none
    std::string highlights{};  // the query; "": none

    bool wants_any() const { return wants_json || needs_model(); }
    // Whether nothing but a language model can answer.
    bool needs_model() const {
        return wants_summary || !question.empty() || !highlights.empty() || !prompt.empty();
    }

    bool operator==(const DataWish&) const = default;
};

// What can be asked of a page in a browser: whether it is opened there at all, how it is shown, what is done
// to it, and which pictures are taken of it. Values only.

// Whether pages are read as a browser builds them.
enum class Rendering : std::uint8_t {
    never,
    when_empty,  // only pages that are made by scripts
    always,
};

struct Viewport {
    int width = 1280, height = 800;

    bool operator==(const Viewport&) const = default;
};
inline constexpr Viewport largest_viewport{7680, 4320};
inline constexpr Viewport phone_viewport{412, 915};

enum class PictureKind : std::uint8_t { png, jpeg, webp };

struct PictureWish {
    PictureKind kind = PictureKind::png;
    int quality = 80;  // 1 to 100, for jpeg and webp
    bool full_page = false;
    std::string selector{};  // only this element; "" for the page
    std::optional<Viewport> viewport{};

    bool operator==(const PictureWish&) const = default;
};

struct PdfWish {
    std::string paper = "A4";  // A0 to A6, Letter, Legal, Tabloid, Ledger
    bool landscape = false;
    double scale = 1;  // 0.1 to 2

    bool operator==(const PdfWish&) const = default;
};

struct Action {
    enum class Kind : std::uint8_t { wait, click, write, press, scroll, picture, scrape, script, pdf };
    Kind kind = Kind::wait;
    std::chrono::milliseconds time{0};  // wait
    std::string selector{};             // wait, click, scroll; "" if there is none
    bool all = false;                   // click every match
    bool up = false;                    // scroll
    std::string text{};                 // write, press (a key's name), script
    PictureWish picture{};
    PdfWish pdf{};

    bool operator==(const Action&) const = default;
};
inline constexpr std::size_t most_actions = 50;

}  // namespace quarry
