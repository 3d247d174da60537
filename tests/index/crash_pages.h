// Pages that tell by themselves whether they are whole: every chunk names its page, its version and how many
// chunks there are.
#pragma once

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "index/index.h"

namespace quarry::test {

inline constexpr std::int64_t crash_pages = 50;

inline int crash_chunks(std::int64_t page, std::int64_t version) {
    return static_cast<int>((page + version) % 7);
}

inline std::string crash_text(std::int64_t page, std::int64_t version) {
    return fmt::format("p{} v{}", page, version);
}

inline index::IndexedPage crash_page(std::int64_t page, std::int64_t version,
                                     const std::vector<float>& vector) {
    index::IndexedPage made;
    made.page = PageId{page};
    made.version = version;
    made.label.url = fmt::format("https://a.example/{}", page);
    for (int at = 0; at < crash_chunks(page, version); ++at) {
        index::IndexedChunk& chunk = made.chunks.emplace_back();
        chunk.chunk.text = crash_text(page, version);
        const auto letters = std::make_shared<const std::string>(chunk.chunk.text);
        const std::string_view all = *letters;
        const std::size_t space = all.find(' ');
        chunk.terms = {.counts = {{all.substr(0, space), 1}, {all.substr(space + 1), 1}},
                       .length = 2,
                       .letters = letters};
        chunk.vector = vector;
    }
    return made;
}

}  // namespace quarry::test
