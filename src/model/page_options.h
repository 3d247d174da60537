// What can be asked of a page in a browser: whether it is opened there at all, how it is shown, what is done
// to it, and which pictures are taken of it. Values only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace quarry {

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
