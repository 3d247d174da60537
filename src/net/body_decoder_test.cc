#include "net/body_decoder.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <brotli/encode.h>
#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

using namespace quarry;
using namespace quarry::net;

namespace {

constexpr std::size_t one_megabyte = 1024 * 1024;

// window_bits as zlib counts them: 31 gzip, 15 zlib, -15 bare.
std::string zlib_encoded(std::string_view text, int window_bits) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string gzipped(std::string_view text) {
    return zlib_encoded(text, 31);
}

std::string brotlied(std::string_view text) {
    std::string out(BrotliEncoderMaxCompressedSize(text.size()) + 64, '\0');
    std::size_t size = out.size();
    REQUIRE(BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, text.size(),
                                  reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                                  reinterpret_cast<std::uint8_t*>(out.data())));
    out.resize(size);
    return out;
}

std::string zstded(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

// Not compressible to nothing, and longer than one block of any stage.
std::string sample_text() {
    std::string text;
    for (int i = 0; text.size() < 300'000; ++i) text += std::to_string(i * 7919);
    return text;
}

// One byte at a time: the network cuts where it likes.
Result<std::string> decode_bytewise(std::string_view coding, std::string_view bytes) {
    std::string body;
    BodyDecoder decoder = TRY(BodyDecoder::open(coding, one_megabyte));
    for (const char& byte : bytes) TRY(decoder.feed({&byte, 1}, body));
    TRY(decoder.finish());
    return body;
}

}  // namespace

TEST_CASE("every coding is taken off, in one piece or byte by byte") {
    const std::string text = sample_text();
    const std::pair<const char*, std::string> rows[] = {
        {"gzip", gzipped(text)},
        {"x-gzip", gzipped(text)},
        {" GZip ", gzipped(text)},
        {"deflate", zlib_encoded(text, 15)},
        {"deflate", zlib_encoded(text, -15)},
        {"br", brotlied(text)},
        {"zstd", zstded(text)},
        {"", text},
        {"identity", text},
        {"utf-8", text},
        {"gzip, br", brotlied(gzipped(text))},
        {"br, identity, gzip", gzipped(brotlied(text))},
        {"gzip", gzipped(text.substr(0, 1000)) + gzipped(text.substr(1000))},
        {"gzip", gzipped(text) + std::string(512, '\0')},
        {"zstd", zstded(text.substr(0, 65536)) + zstded(text.substr(65536))},
    };
    for (const auto& [coding, bytes] : rows) {
        CAPTURE(coding);
        CHECK(decode_body(coding, bytes, one_megabyte).value() == text);
        CHECK(decode_bytewise(coding, bytes).value() == text);
    }
}

TEST_CASE("an empty body may carry any label") {
    for (const char* coding : {"gzip", "deflate", "br", "zstd", "gzip, br"})
        CHECK(decode_body(coding, "", one_megabyte).value().empty());
}

TEST_CASE("a body cut anywhere before its end is corrupt") {
    const std::string text = sample_text();
    const std::pair<const char*, std::string> rows[] = {{"gzip", gzipped(text)},
                                                        {"deflate", zlib_encoded(text, 15)},
                                                        {"br", brotlied(text)},
                                                        {"zstd", zstded(text)}};
    for (const auto& [coding, bytes] : rows)
        for (const std::size_t size : {std::size_t{1}, std::size_t{5}, bytes.size() / 2, bytes.size() - 1}) {
            CAPTURE(coding);
            CAPTURE(size);
            const auto body = decode_body(coding, std::string_view(bytes).substr(0, size), one_megabyte);
            REQUIRE_FALSE(body);
            CHECK(body.error().code == ErrorCode::corrupt);
        }
    CHECK(decode_body("gzip", gzipped(text).substr(0, 100), one_megabyte).error().message ==
          "the gzip data of the answer is cut off before its end");
}

TEST_CASE("a body that is not what its label says is corrupt") {
    for (const char* coding : {"gzip", "deflate", "br", "zstd"}) {
        CAPTURE(coding);
        const auto body = decode_body(coding, "\xff\xffhello, this is not compressed at all", one_megabyte);
        REQUIRE_FALSE(body);
        CHECK(body.error().code == ErrorCode::corrupt);
    }
    std::string damaged = gzipped("checksums are read");
    damaged[damaged.size() - 6] ^= 1;
    CHECK(decode_body("gzip", damaged, one_megabyte).error().code == ErrorCode::corrupt);
}

TEST_CASE("a body of exactly the limit passes and one byte more does not") {
    const std::string text(70'000, 'x');
    for (const char* coding : {"", "gzip"}) {
        const std::string bytes = *coding ? gzipped(text) : text;
        CHECK(decode_body(coding, bytes, text.size()).value() == text);
        const auto over = decode_body(coding, bytes, text.size() - 1);
        REQUIRE_FALSE(over);
        CHECK(over.error().code == ErrorCode::too_large);
    }
}

TEST_CASE("the limit also stops a bomb inside a bomb") {
    const std::string bomb = gzipped(gzipped(std::string(20 * one_megabyte, '\0')));
    const auto body = decode_body("gzip, gzip", bomb, one_megabyte);
    REQUIRE_FALSE(body);
    CHECK(body.error().code == ErrorCode::too_large);
    CHECK(body.error().message.starts_with("answer is larger than"));
}

TEST_CASE("more codings than any server needs are refused") {
    CHECK(decode_body("gzip, gzip, gzip, gzip, gzip", "x", one_megabyte).error().code == ErrorCode::corrupt);
}

TEST_CASE("the bombs of the suite are stopped at the limit") {
    const std::filesystem::path folder = QUARRY_SUITES "/suites/bombs";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("skipped: no " << folder.string());
        return;
    }
    constexpr std::pair<const char*, const char*> bombs[] = {
        {"gzip", "200MB-zeros.gz"}, {"br", "200MB-zeros.br"}, {"zstd", "200MB-zeros.zst"}};
    for (const auto& [coding, name] : bombs) {
        std::ifstream in(folder / name, std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(in), {});
        std::string body;
        BodyDecoder decoder = BodyDecoder::open(coding, one_megabyte).value();
        CHECK(decoder.feed(bytes, body).error().code == ErrorCode::too_large);
        CHECK(body.size() <= one_megabyte);
    }
}
