// A space as bytes: a header, then the tables one after the other, in the byte order of x86 and ARM.
#include <bit>
#include <cmath>
#include <cstring>

#include <xxhash.h>

#include "embed/space/space.h"
#include "embed/space/space_tables.h"

namespace quarry::embed {

namespace {

static_assert(std::endian::native == std::endian::little, "a space is written as it is in memory");

struct Header {
    char magic[8] = {'q', 'u', 'a', 'r', 'r', 'y', 's', 'p'};
    std::uint32_t version = 1;
    std::uint32_t dimensions = 0;
    std::uint64_t terms = 0;
    std::uint64_t checksum = 0;  // of all that follows
};
static_assert(sizeof(Header) == 32);

constexpr std::uint32_t max_dimensions = 4096;
constexpr std::uint64_t max_terms = 1U << 24;

// What has a sum that is far from overflowing. Real ones are below 1.
constexpr float max_scale = 1000;

template <typename T>
void append(std::string& bytes, const std::vector<T>& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Takes `count` values off the front of `bytes`, which has them.
template <typename T>
std::vector<T> take(std::string_view& bytes, std::size_t count) {
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
    bytes.remove_prefix(count * sizeof(T));
    return values;
}

Result<Header> parse_header(std::string_view bytes) {
    Header header;
    if (bytes.size() < sizeof header) return fail(ErrorCode::corrupt, "a space ends within its header");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, Header{}.magic, sizeof header.magic) != 0) {
        return fail(ErrorCode::corrupt, "these bytes are not a space");
    }
    if (header.version != Header{}.version) {
        return fail(ErrorCode::unsupported, "the space was made by another version of quarry");
    }
    if (header.dimensions < 1 || header.dimensions > max_dimensions || header.terms > max_terms) {
        return fail(ErrorCode::corrupt, "a space has impossible dimensions");
    }
    const std::uint64_t per_term = sizeof(std::uint64_t) + sizeof(float) + header.dimensions;
    if (bytes.size() - sizeof header != header.terms * per_term) {
        return fail(ErrorCode::corrupt, "a space is not as long as it says");
    }
    return header;
}

}  // namespace

std::string Space::serialise() const {
    std::string bytes(sizeof(Header), '\0');
    append(bytes, tables_->hashes);
    append(bytes, tables_->scales);
    append(bytes, tables_->rows);
    Header header;
    header.dimensions = static_cast<std::uint32_t>(tables_->dimensions);
    header.terms = tables_->hashes.size();
    header.checksum = XXH3_64bits(bytes.data() + sizeof header, bytes.size() - sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

Result<Space> Space::parse(std::string_view bytes) {
    const Header header = TRY(parse_header(bytes));
    bytes.remove_prefix(sizeof header);
    if (XXH3_64bits(bytes.data(), bytes.size()) != header.checksum) {
        return fail(ErrorCode::corrupt, "a space was damaged: its checksum differs");
    }
    auto tables = std::make_unique<Tables>();
    tables->dimensions = static_cast<int>(header.dimensions);
    tables->hashes = take<std::uint64_t>(bytes, header.terms);
    tables->scales = take<float>(bytes, header.terms);
    tables->rows = take<std::int8_t>(bytes, header.terms * header.dimensions);
    for (std::size_t i = 1; i < tables->hashes.size(); ++i) {
        if (tables->hashes[i - 1] >= tables->hashes[i])
            return fail(ErrorCode::corrupt, "a space is out of order");
    }
    for (const float scale : tables->scales) {
        if (!(scale >= 0 && scale <= max_scale))
            return fail(ErrorCode::corrupt, "a space has an impossible scale");
    }
    tables->index_hashes();
    return Space(std::move(tables));
}

}  // namespace quarry::embed
