#include "crawl/gunzip.h"

#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <zlib.h>

using namespace quarry::crawl;
using quarry::ErrorCode;

namespace {

std::string gzipped(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

// Text that gzip cannot shorten much, so that a part of the file is a part of the text.
std::string noise(std::size_t size) {
    std::string text;
    unsigned state = 1;
    while (text.size() < size) text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    return text;
}

}  // namespace

TEST_CASE("a gzip file is unpacked, also one of several parts and with padding behind") {
    CHECK(gunzip_bounded(gzipped("hello"), 100).value().bytes == "hello");
    CHECK(gunzip_bounded(gzipped("hello "), 100).value().warning == "");
    CHECK(gunzip_bounded(gzipped("hello ") + gzipped("world"), 100).value().bytes == "hello world");
    CHECK(gunzip_bounded(gzipped("hello") + std::string(100, '\0'), 100).value().bytes == "hello");
    CHECK(gunzip_bounded(gzipped(""), 100).value().bytes == "");
}

TEST_CASE("a truncated or damaged gzip file gives what came before, with a warning") {
    const std::string text = noise(100'000);
    const std::string file = gzipped(text);

    const auto cut = gunzip_bounded(std::string_view(file).substr(0, file.size() / 2), 1'000'000).value();
    CHECK(cut.bytes.size() > 10'000);
    CHECK(text.starts_with(cut.bytes));
    CHECK(cut.warning == "the gzip file ends too early");

    std::string damaged = file;
    damaged[damaged.size() - 5] ^= 0x55;  // in the checksum
    CHECK(gunzip_bounded(damaged, 1'000'000).value().bytes == text);
    CHECK(gunzip_bounded(damaged, 1'000'000).value().warning == "the gzip file is damaged");
}

TEST_CASE("a gzip file that unpacks to more than the limit is cut there") {
    CHECK(gunzip_bounded(gzipped("12345"), 5).value().warning == "");
    CHECK(gunzip_bounded(gzipped("12345"), 4).value().bytes == "1234");
    CHECK(gunzip_bounded(gzipped("12345"), 4).value().warning ==
          "the gzip file unpacks to over 4 bytes and was cut there");
}

TEST_CASE("what is no gzip file is an error") {
    CHECK(gunzip_bounded("", 10).error().code == ErrorCode::corrupt);
    CHECK(gunzip_bounded("<xml>", 10).error().code == ErrorCode::corrupt);
    CHECK(gunzip_bounded("\x1f\x8b", 10).error().code == ErrorCode::corrupt);
    CHECK(gunzip_bounded("\x1f\x8bnonsense", 10).error().code == ErrorCode::corrupt);
}

TEST_CASE("a bomb of 200 MB stays within the limit") {
    std::ifstream file(QUARRY_SUITES "/suites/bombs/200MB-zeros.gz", std::ios::binary);
    if (!file) {
        MESSAGE("skipped: no " QUARRY_SUITES "/suites/bombs/200MB-zeros.gz");
        return;
    }
    std::stringstream bomb;
    bomb << file.rdbuf();

    const auto unpacked = gunzip_bounded(bomb.str(), 1'000'000).value();

    CHECK(unpacked.bytes.size() == 1'000'000);
    CHECK(unpacked.warning != "");
}
