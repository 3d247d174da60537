#include "db/packed_text.h"

#include <memory>

#include <fmt/format.h>
#include <zstd.h>

namespace quarry::db {

namespace {

// Measured on 300 pages of the PostgreSQL manual (5.7 KB of markdown on average): level 1 takes 24 us and
// leaves 2.1 KB, -1 takes 21 us and leaves 2.6 KB, 3 takes 30 us and leaves 2.0 KB. The writer spends about
// 5 us on every KB that is left, so 1 is the cheapest in all. A dictionary trained on other pages of the same
// manual saved 11 % more: not worth a file format that depends on one for ever.
constexpr int compression_level = 1;

// A block of a frame takes at least three bytes and makes at most 128 KB, so a short frame that claims
// megabytes is refused before memory is taken for it.
constexpr std::size_t min_block_bytes = 3, max_block_bytes = 128u << 10;

struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context = [] {
        std::unique_ptr<ZSTD_CCtx, FreeCompressor> made(ZSTD_createCCtx());
        ZSTD_CCtx_setParameter(made.get(), ZSTD_c_compressionLevel, compression_level);
        // SQLite does not notice a flipped bit in a blob; the checksum does.
        ZSTD_CCtx_setParameter(made.get(), ZSTD_c_checksumFlag, 1);
        return made;
    }();
    return context.get();
}

ZSTD_DCtx* decompressor() {
    thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
    return context.get();
}

}  // namespace

Result<std::string> pack_text(std::string_view text) {
    if (text.empty()) return std::string();
    if (text.size() > max_unpacked_bytes) {
        return fail(ErrorCode::too_large, fmt::format("{} bytes are too many for one text", text.size()));
    }
    // Kept as large as the largest text so far, so that the result is copied once, at its own size.
    thread_local std::string buffer;
    const std::size_t bound = ZSTD_compressBound(text.size());
    if (buffer.size() < bound) buffer.resize(bound);
    const std::size_t size =
        ZSTD_compress2(compressor(), buffer.data(), buffer.size(), text.data(), text.size());
    if (ZSTD_isError(size)) {
        return fail(ErrorCode::unavailable, fmt::format("cannot compress: {}", ZSTD_getErrorName(size)));
    }
    std::string packed(buffer, 0, size);
    if (buffer.size() > (4u << 20)) std::string().swap(buffer);
    return packed;
}

Result<std::string> unpack_text(std::string_view packed) {
    if (packed.empty()) return std::string();
    const unsigned long long claimed = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (claimed == ZSTD_CONTENTSIZE_ERROR || claimed == ZSTD_CONTENTSIZE_UNKNOWN) {
        return fail(ErrorCode::corrupt, "a stored text is damaged: it has no valid beginning");
    }
    if (claimed > max_unpacked_bytes || claimed > packed.size() / min_block_bytes * max_block_bytes) {
        return fail(ErrorCode::corrupt,
                    fmt::format("a stored text is damaged: {} bytes claim to be {}", packed.size(), claimed));
    }
    std::string text(claimed, '\0');
    const std::size_t size =
        ZSTD_decompressDCtx(decompressor(), text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(size)) {
        return fail(ErrorCode::corrupt, fmt::format("a stored text is damaged: {}", ZSTD_getErrorName(size)));
    }
    if (size != claimed) return fail(ErrorCode::corrupt, "a stored text is damaged: it is cut off");
    return text;
}

}  // namespace quarry::db
