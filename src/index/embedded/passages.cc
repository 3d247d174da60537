#include "index/embedded/passages.h"

#include "db/packed_text.h"
#include "index/embedded/damaged.h"
#include "index/embedded/postings.h"

namespace quarry::index {

namespace {

void put_chunk(std::string& bytes, const Chunk& chunk) {
    put_number(bytes, chunk.begin);
    put_number(bytes, chunk.end);
    put_number(bytes, chunk.headings.size());
    for (const std::string& heading : chunk.headings) put_text(bytes, heading);
    put_text(bytes, chunk.text);
}

Chunk read_chunk(ByteReader& reader) {
    Chunk chunk;
    chunk.begin = reader.small_number();
    chunk.end = reader.small_number();
    for (std::uint32_t left = reader.count(); left > 0; --left) chunk.headings.emplace_back(reader.text());
    chunk.text = reader.text();
    return chunk;
}

}  // namespace

Result<std::string> pack_passages(std::span<const Chunk* const> chunks) {
    thread_local std::string plain;
    plain.clear();
    put_number(plain, chunks.size());
    for (const Chunk* chunk : chunks) put_chunk(plain, *chunk);
    return db::pack_text(plain);
}

Result<std::vector<Chunk>> unpack_passages(std::string_view bytes) {
    const auto plain = db::unpack_text(bytes);
    if (!plain) return damaged("a stored text cannot be read");
    ByteReader reader(*plain);
    std::vector<Chunk> chunks;
    for (std::uint32_t left = reader.count(); left > 0; --left) chunks.push_back(read_chunk(reader));
    if (!reader.is_sound() || !reader.at_end()) return damaged("a stored text cannot be read");
    return chunks;
}

}  // namespace quarry::index
