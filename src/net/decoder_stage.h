// One coding of a body as a stream: bytes in, blocks out. Internal to the body decoder.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace quarry::net {

using DecodedSink = std::function<Result<void>(std::string_view)>;

class DecoderStage {
public:
    virtual ~DecoderStage() = default;

    // Decodes `bytes` and hands on what comes out, in blocks of at most 64 KB. Stops at the sink's first
    // error.
    virtual Result<void> feed(std::string_view bytes, const DecodedSink& sink) = 0;

    // Whether the stream has come to its end. An empty stream has: a server may label an empty body.
    virtual bool is_complete() const = 0;

    // As a person would call it: "gzip".
    virtual std::string_view name() const = 0;
};

std::unique_ptr<DecoderStage> open_gzip_stage();
std::unique_ptr<DecoderStage> open_deflate_stage();
std::unique_ptr<DecoderStage> open_brotli_stage();
std::unique_ptr<DecoderStage> open_zstd_stage();

}  // namespace quarry::net
