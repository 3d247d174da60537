#include "net/body_decoder.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "net/decoder_stage.h"
#include "net/header_text.h"
#include "net/wording.h"

namespace quarry::net {

namespace {

// Honest servers send one. Each further one multiplies what a small body can make us compute.
constexpr std::size_t most_codings = 4;

std::unique_ptr<DecoderStage> open_stage(std::string_view coding) {
    if (coding == "gzip" || coding == "x-gzip") return open_gzip_stage();
    if (coding == "deflate") return open_deflate_stage();
    if (coding == "br") return open_brotli_stage();
    if (coding == "zstd") return open_zstd_stage();
    return nullptr;
}

std::unexpected<Error> too_large(std::size_t max_bytes) {
    return fail(ErrorCode::too_large, fmt::format("answer is larger than {}", bytes_in_words(max_bytes)));
}

}  // namespace

BodyDecoder::BodyDecoder(BodyDecoder&&) noexcept = default;
BodyDecoder& BodyDecoder::operator=(BodyDecoder&&) noexcept = default;
BodyDecoder::~BodyDecoder() = default;

Result<BodyDecoder> BodyDecoder::open(std::string_view content_encoding, std::size_t max_decoded_bytes) {
    BodyDecoder decoder;
    decoder.max_decoded_bytes_ = max_decoded_bytes;
    while (!content_encoding.empty()) {
        auto stage = open_stage(lower_case(trimmed(take_until(content_encoding, ','))));
        if (!stage) continue;
        if (decoder.stages_.size() == most_codings)
            return fail(ErrorCode::corrupt,
                        fmt::format("the answer is compressed more than {} times over", most_codings));
        decoder.stages_.push_back(std::move(stage));
    }
    // The header lists codings in the order they were applied.
    std::ranges::reverse(decoder.stages_);
    decoder.produced_bytes_.resize(decoder.stages_.size());
    return decoder;
}

Result<void> BodyDecoder::feed(std::string_view bytes, std::string& body) {
    return run(0, bytes, body);
}

Result<void> BodyDecoder::run(std::size_t index, std::string_view bytes, std::string& body) {
    if (index == stages_.size()) {
        const std::size_t room = max_decoded_bytes_ - std::min(max_decoded_bytes_, body.size());
        body.append(bytes.substr(0, room));
        if (bytes.size() > room) return too_large(max_decoded_bytes_);
        return {};
    }
    std::size_t& produced = produced_bytes_[index];
    return stages_[index]->feed(bytes, [&](std::string_view block) -> Result<void> {
        produced += block.size();
        TRY(run(index + 1, block, body));
        if (produced > max_decoded_bytes_) return too_large(max_decoded_bytes_);
        return {};
    });
}

Result<void> BodyDecoder::finish() {
    for (const auto& stage : stages_)
        if (!stage->is_complete())
            return fail(ErrorCode::corrupt,
                        fmt::format("the {} data of the answer is cut off before its end", stage->name()));
    return {};
}

Result<std::string> decode_body(std::string_view content_encoding, std::string_view bytes,
                                std::size_t max_decoded_bytes) {
    std::string body;
    BodyDecoder decoder = TRY(BodyDecoder::open(content_encoding, max_decoded_bytes));
    TRY(decoder.feed(bytes, body));
    TRY(decoder.finish());
    return body;
}

}  // namespace quarry::net
