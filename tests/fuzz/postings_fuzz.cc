// Everything that index.db has packed into blobs: a file may be damaged or made by somebody else.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "index/embedded/merging.h"
#include "index/embedded/page_rows.h"
#include "index/embedded/postings.h"
#include "index/embedded/segments.h"
#include "index/embedded/signs.h"

using namespace quarry::index;

namespace {

// What is read once more from what was written must be the same.
void check_postings(std::string_view bytes) {
    std::vector<Posting> postings;
    const bool is_sound = each_posting(bytes, 1u << 20, [&](Slot slot, std::uint32_t count) {
        postings.push_back({.slot = slot, .count = count});
    });
    if (!is_sound) return;
    std::string packed;
    pack_postings(postings, packed);
    std::size_t at = 0;
    const bool is_same = each_posting(packed, 1u << 20, [&](Slot slot, std::uint32_t count) {
        if (postings.at(at++) != Posting{slot, count}) __builtin_trap();
    });
    if (!is_same || at != postings.size()) __builtin_trap();
}

void merge_leaf(std::string_view bytes) {
    Bits keep(1'024);
    for (Slot slot = 0; slot < 1'024; slot += 3) keep.set(slot);
    std::vector<std::unique_ptr<TermCursor>> inputs;
    inputs.push_back(std::make_unique<LeafCursor>(bytes));
    inputs.push_back(std::make_unique<LeafCursor>(bytes.substr(bytes.size() / 2)));
    Merge merge(std::move(inputs), keep);
    while (true) {
        const auto has_more = merge.next();
        if (!has_more || !*has_more) return;
        check_postings(merge.postings());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_postings(bytes);
    merge_leaf(bytes);
    std::vector<Slot> slots;
    (void)unpack_slots(bytes, slots);
    (void)unpack_places(bytes);
    (void)unpack_terms(bytes);
    (void)unpack_passages(bytes);
    (void)find_in_leaf(bytes, "term");
    (void)SignBlock::parse(bytes, 64);
    return 0;
}
