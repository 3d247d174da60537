// Takes gzip, deflate, br and zstd off a body while it arrives. curl could do it, but it lets a truncated
// stream pass as a whole one, and it does not know our limit on what comes out.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry::net {

// What to send as Accept-Encoding so that every answer can be decoded here.
inline constexpr std::string_view accepted_encodings = "gzip, deflate, br, zstd";

class DecoderStage;

// One body. Not thread-safe; memory is bounded by the codings' windows (at most 16 MB each), whatever the
// input.
class BodyDecoder {
public:
    // For a Content-Encoding header's value. A coding nobody knows is left on, as browsers do: the caller
    // sees from the bytes what it got. More than four codings fail with `corrupt`.
    static Result<BodyDecoder> open(std::string_view content_encoding, std::size_t max_decoded_bytes);

    BodyDecoder(BodyDecoder&&) noexcept;
    BodyDecoder& operator=(BodyDecoder&&) noexcept;
    ~BodyDecoder();

    // Decodes the next bytes and appends the result to `body`, up to the limit. Fails with `too_large` as
    // soon as the decoded body exceeds the limit and with `corrupt` when the bytes are not what the header
    // claims.
    Result<void> feed(std::string_view bytes, std::string& body);

    // Says that nothing more will come. Fails with `corrupt` if a coding's end is missing.
    Result<void> finish();

private:
    BodyDecoder() = default;

    // Runs the bytes through stage `index` and all after it.
    Result<void> run(std::size_t index, std::string_view bytes, std::string& body);

    std::vector<std::unique_ptr<DecoderStage>> stages_;  // the outermost coding first
    // What each stage put out. The limit holds between stages too: a long stream that shrinks again would
    // cost only time, but it would be ours.
    std::vector<std::size_t> produced_bytes_;
    std::size_t max_decoded_bytes_ = 0;
};

// A whole body at once, for files that are compressed themselves, such as sitemap.xml.gz ("gzip").
Result<std::string> decode_body(std::string_view content_encoding, std::string_view bytes,
                                std::size_t max_decoded_bytes);

}  // namespace quarry::net
