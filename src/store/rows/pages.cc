#include "store/rows/pages.h"

#include "db/packed_text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace quarry::store {

// Part by part: g++ 12 leaks what a braced list has made already when a TRY inside of it returns.
Result<PackedContent> pack(const Content& content) {
    PackedContent packed;
    packed.markdown = TRY(db::pack_text(content.markdown));
    packed.details = TRY(db::pack_text(content.details));
    packed.html = TRY(db::pack_text(content.html));
    return packed;
}

Result<Content> unpack(const PackedContent& packed) {
    Content content;
    content.markdown = TRY(db::unpack_text(packed.markdown));
    content.details = TRY(db::unpack_text(packed.details));
    content.html = TRY(db::unpack_text(packed.html));
    return content;
}

std::uint64_t content_hash(std::string_view title, std::string_view markdown) {
    // The title's hash is the seed, so that moving a word from one to the other is a change.
    return XXH3_64bits_withSeed(markdown.data(), markdown.size(), XXH3_64bits(title.data(), title.size()));
}

}  // namespace quarry::store
