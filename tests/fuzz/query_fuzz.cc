// Queries and passages of any bytes, split at the first NUL: what parses keeps its bounds, and a snippet's
// marks lie in order within it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "search/query.h"
#include "search/snippet.h"

using namespace quarry;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void check_snippet(const search::Snippet& snippet) {
    std::uint32_t last = 0;
    for (const auto& mark : snippet.marks) {
        require(mark.begin >= last && mark.end >= mark.begin && mark.end <= snippet.text.size());
        last = mark.end;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string_view typed = text.substr(0, text.find('\0'));
    const std::string_view passage = text.substr(std::min(typed.size() + 1, text.size()));
    static text::TermReader reader;
    for (const auto syntax : {search::Syntax::typed, search::Syntax::plain}) {
        const auto query = search::parse_query(typed, syntax, reader);
        if (!query) {
            require(!query.error().message.empty());
            continue;
        }
        require(!query->keywords.words.empty() && query->keywords.words.size() <= 256);
        require(syntax == search::Syntax::typed || !query->needs_text());
        for (const auto& phrase : query->phrases) require(phrase.size() > 1);
        for (const int columns : {1, 20, 240})
            check_snippet(search::make_snippet(passage, query->keywords, reader, columns));
    }
    return 0;
}
