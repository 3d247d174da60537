#include "db/packed_text.h"

#include <string>

#include <doctest/doctest.h>
#include <zstd.h>

namespace quarry::db {

namespace {

std::string words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "word" + std::to_string(i * 2'654'435'761 % 1'000) + ' ';
    return text;
}

}  // namespace

TEST_CASE("packing makes words smaller, and nothing of nothing") {
    CHECK(pack_text(words(1'000)).value().size() < words(1'000).size() / 2);
    CHECK(pack_text("").value().empty());
}

TEST_CASE("a packed text that is cut off anywhere is corrupt") {
    const std::string packed = pack_text(words(100)).value();
    for (std::size_t size = 1; size < packed.size(); ++size) {
        const auto text = unpack_text(std::string_view(packed).substr(0, size));
        REQUIRE_FALSE(text);
        CHECK(text.error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("a packed text with any bit flipped never comes back as other words") {
    const std::string original = words(30);
    const std::string packed = pack_text(original).value();
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
        std::string damaged = packed;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        const auto text = unpack_text(damaged);
        // Some bits of the header mean nothing: then the words are the same.
        if (text) CHECK(*text == original);
    }
}

TEST_CASE("a small blob that claims to be large is refused before memory is taken") {
    // A frame header by hand: magic, single segment with an 8-byte size of 200 MB, then one empty last block.
    std::string bomb("\x28\xb5\x2f\xfd\xe0", 5);
    std::uint64_t claimed = 200u << 20;
    bomb.append(reinterpret_cast<const char*>(&claimed), 8);
    bomb.append("\x01\x00\x00", 3);

    const auto text = unpack_text(bomb);

    REQUIRE_FALSE(text);
    CHECK(text.error().code == ErrorCode::corrupt);
    CHECK(text.error().message.find("claim") != std::string::npos);
}

TEST_CASE("a real bomb beyond the limit is refused") {
    // 300 MB of zeros in 27 KB.
    std::string packed(64u << 10, '\0');
    {
        const std::string zeros(300u << 20, '\0');
        packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 1));
    }
    REQUIRE(packed.size() < (64u << 10));

    const auto text = unpack_text(packed);

    REQUIRE_FALSE(text);
    CHECK(text.error().code == ErrorCode::corrupt);
}

TEST_CASE("a text beyond the limit is not packed") {
    const std::string zeros(max_unpacked_bytes + 1, '\0');
    CHECK(pack_text(zeros).error().code == ErrorCode::too_large);
}

TEST_CASE("bytes that are no frame are corrupt") {
    for (const std::string_view bytes : {"a", "words that nobody packed", "\x28\xb5\x2f\xfd"}) {
        CHECK(unpack_text(bytes).error().code == ErrorCode::corrupt);
    }
}

}  // namespace quarry::db
