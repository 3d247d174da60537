// Any page becomes markdown: without a crash, in proportion to its size, and in valid UTF-8.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "extract/content/main_content.h"
#include "extract/markdown/markdown.h"
#include "html/parser.h"

namespace {

bool is_valid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80    ? 1
                                   : lead >= 0xF0 ? 4
                                   : lead >= 0xE0 ? 3
                                   : lead >= 0xC2 ? 2
                                                  : 0;
        if (length == 0 || i + length > text.size()) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
        }
        i += length;
    }
    return true;
}

// The widest prefix of a line, times the lines a page can make of each byte, and the base's length for each
// link.
constexpr std::size_t most_growth = 256;
constexpr std::size_t most_for_nothing = 4096;

void require(bool condition) {
    if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string source(reinterpret_cast<const char*>(data), size);
    const quarry::html::Tree tree = quarry::html::parse(source);
    const quarry::url::Url base = quarry::url::Url::parse("https://a.example/b/").value();

    for (const quarry::extract::MarkdownOptions& options :
         {quarry::extract::MarkdownOptions{},
          quarry::extract::MarkdownOptions{.base = &base, .keep_data_images = true}}) {
        const std::string markdown =
            quarry::extract::to_markdown(tree, quarry::extract::select_full_page(tree), options);
        require(markdown.size() <= most_growth * size + most_for_nothing);
        require(is_valid_utf8(markdown));
        require(markdown.empty() || markdown.back() == '\n');
    }
    return 0;
}
