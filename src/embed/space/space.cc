#include "embed/space/space.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <xxhash.h>

#include "base/each_processor.h"
#include "embed/space/fit.h"

namespace quarry::embed {

namespace {

QUARRY_FOR_EACH_PROCESSOR
void add_scaled(float* __restrict to, const std::int8_t* __restrict from, float factor, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] += factor * static_cast<float>(from[i]);
}

void make_unit_length(std::vector<float>& vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    const double factor = 1 / std::sqrt(squares);
    for (float& x : vector) x = static_cast<float>(x * factor);
}

}  // namespace

void Space::Tables::index_hashes() {
    first_of.assign(65'537, static_cast<std::uint32_t>(hashes.size()));
    for (std::size_t i = hashes.size(); i-- > 0;) first_of[hashes[i] >> 48] = static_cast<std::uint32_t>(i);
    for (std::size_t bucket = 65'536; bucket-- > 0;) {
        first_of[bucket] = std::min(first_of[bucket], first_of[bucket + 1]);
    }
}

std::ptrdiff_t Space::Tables::find(std::uint64_t hash) const {
    const auto begin = hashes.begin() + first_of[hash >> 48],
               end = hashes.begin() + first_of[(hash >> 48) + 1];
    const auto found = std::lower_bound(begin, end, hash);
    return found != end && *found == hash ? found - hashes.begin() : -1;
}

Space::Space(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(Space&&) noexcept = default;
Space::~Space() = default;

int Space::dimensions() const {
    return tables_->dimensions;
}

std::vector<float> Space::fold_in(const text::TermBag& terms) const {
    const auto dimensions = static_cast<std::size_t>(tables_->dimensions);
    std::vector<float> vector(dimensions);
    for (const text::TermCount& term : terms.counts) {
        const std::ptrdiff_t row = tables_->find(term_hash(term.term));
        if (row < 0) continue;
        const auto number = static_cast<std::size_t>(row);
        add_scaled(vector.data(), tables_->rows.data() + number * dimensions,
                   tables_->scales[number] * log_weight(term.count), dimensions);
    }
    if (std::ranges::all_of(vector, [](float x) { return x == 0; })) return {};
    make_unit_length(vector);
    return vector;
}

namespace {

constexpr float share_of_chunks = 0.6F;  // beside 1 for the query; 0.3 to 0.8 do as well

void add_scaled(std::vector<float>& to, std::span<const float> from, float factor) {
    if (to.empty()) to.resize(from.size());
    for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i) to[i] += factor * from[i];
}

float length_of(const std::vector<float>& vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    return static_cast<float>(std::sqrt(squares));
}

}  // namespace

std::vector<float> lean_towards(std::span<const float> query, std::span<const FeedbackChunk> chunks) {
    std::vector<float> middle;
    for (const FeedbackChunk& chunk : chunks) {
        const float merit = chunks.front().score > 0 ? chunk.score / chunks.front().score : 1;
        // The cube: a second chunk that is far behind the first is hardly about the same.
        add_scaled(middle, chunk.vector, merit * merit * merit);
    }
    std::vector<float> leaning(query.begin(), query.end());
    if (const float length = length_of(middle); length > 0) {
        add_scaled(leaning, middle, share_of_chunks / length);
    }
    const float length = length_of(leaning);
    if (!(length > 0)) return {};
    for (float& x : leaning) x /= length;
    return leaning;
}

// A space as bytes: a header, then the tables one after the other, in the byte order of x86 and ARM.

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
