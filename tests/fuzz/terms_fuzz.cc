// Reads terms out of anything: they stand in order inside the text, are short, are no more than the text has
// room for, and are the same when read again and when counted.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "text/terms/terms.h"

using namespace quarry::text;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Nothing of an earlier text may show in a later one. Making a reader costs more than most texts do, so
    // the fresh one is fresh only now and then.
    static TermReader kept, fresh;
    static int runs = 0;
    if (runs++ % 256 == 0) fresh = TermReader();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto terms = kept.read(text), again = fresh.read(text);
    require(terms.size() == again.size());
    require(terms.size() <= 6 * size);

    std::size_t length = 0, before = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Term& term = terms[i];
        require(term.begin < term.end && term.end <= size);
        require(term.begin >= before);
        require(!term.text.empty() && term.text.size() <= 64);
        require(term.text == again[i].text && term.is_part == again[i].is_part);
        before = term.begin;
        length += !term.is_part;
        is_stop_word(term.text);
    }

    const std::size_t count = terms.size();
    const std::string_view texts[] = {text};
    const TermBag bag = kept.count(texts);
    std::size_t counted = 0;
    for (const TermCount& each : bag.counts) counted += each.count;
    require(bag.length == length && counted == count);
    return 0;
}
