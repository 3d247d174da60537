// One coding of a body as a stream: bytes in, blocks out. Internal to the body decoder.
#include "net/body_decoder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <brotli/decode.h>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "base/result.h"
#include "net/http_message.h"
#include "net/wording.h"

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

namespace {

constexpr std::size_t block_bytes = std::size_t{64} * 1024;
using Block = std::array<char, block_bytes>;

std::unexpected<Error> not_valid(std::string_view coding) {
    return fail(ErrorCode::corrupt,
                fmt::format("the answer says it is {0}-compressed, but it is not valid {0}", coding));
}

class ZlibStage : public DecoderStage {
public:
    enum class Format { gzip, deflate };

    explicit ZlibStage(Format format) : format_(format) {}
    ZlibStage(const ZlibStage&) = delete;
    ZlibStage& operator=(const ZlibStage&) = delete;
    ~ZlibStage() override { inflateEnd(&stream_); }

    Result<void> feed(std::string_view bytes, const DecodedSink& sink) override {
        if (bytes.empty() || state_ == State::trailing) return {};
        if (state_ == State::empty) start(bytes.front());
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        while (stream_.avail_in > 0) {
            if (state_ == State::between && !start_next_member()) return {};
            TRY(inflate_block(sink));
        }
        return {};
    }

    bool is_complete() const override { return state_ != State::inside; }
    std::string_view name() const override { return format_ == Format::gzip ? "gzip" : "deflate"; }

private:
    enum class State {
        empty,     // nothing came yet
        inside,    // in the middle of a member
        between,   // a member ended; another may follow
        trailing,  // something else follows the last member; it is ignored, as browsers do
    };

    // "deflate" means the zlib format, but some servers send the bare stream. A zlib header has 8 in
    // its lower four bits; a bare stream would have them for a stored block with non-zero padding, which no
    // encoder writes.
    void start(char first_byte) {
        const bool is_bare = format_ == Format::deflate && (first_byte & 0x0f) != 8;
        const int window_bits = format_ == Format::gzip ? 15 + 16 : (is_bare ? -15 : 15);
        inflateInit2(&stream_, window_bits);
        state_ = State::inside;
    }

    bool start_next_member() {
        const bool is_gzip = format_ == Format::gzip && *stream_.next_in == 0x1f;
        state_ = is_gzip ? State::inside : State::trailing;
        if (is_gzip) inflateReset(&stream_);
        return is_gzip;
    }

    Result<void> inflate_block(const DecodedSink& sink) {
        Block block;
        int code = Z_OK;
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(block.data());
            stream_.avail_out = block.size();
            code = inflate(&stream_, Z_NO_FLUSH);
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return not_valid(name());
            if (const auto size = block.size() - stream_.avail_out) TRY(sink({block.data(), size}));
        } while (code == Z_OK && stream_.avail_out == 0);
        if (code == Z_STREAM_END) state_ = State::between;
        return {};
    }

    const Format format_;
    State state_ = State::empty;
    z_stream stream_{};
};

class BrotliStage : public DecoderStage {
public:
    Result<void> feed(std::string_view bytes, const DecodedSink& sink) override {
        if (bytes.empty() || BrotliDecoderIsFinished(decoder_.get())) return {};
        is_empty_ = false;
        const auto* input = reinterpret_cast<const std::uint8_t*>(bytes.data());
        std::size_t left = bytes.size();
        BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
        while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
            Block block;
            auto* output = reinterpret_cast<std::uint8_t*>(block.data());
            std::size_t room = block.size();
            result = BrotliDecoderDecompressStream(decoder_.get(), &left, &input, &room, &output, nullptr);
            if (result == BROTLI_DECODER_RESULT_ERROR) return not_valid(name());
            if (room < block.size()) TRY(sink({block.data(), block.size() - room}));
        }
        return {};
    }

    bool is_complete() const override { return is_empty_ || BrotliDecoderIsFinished(decoder_.get()); }
    std::string_view name() const override { return "br"; }

private:
    struct Destroy {
        void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
    };
    std::unique_ptr<BrotliDecoderState, Destroy> decoder_{
        BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)};
    bool is_empty_ = true;
};

class ZstdStage : public DecoderStage {
public:
    // RFC 9659: a window over 8 MB need not be supported in a Content-Encoding, and it would be memory for
    // the asking.
    ZstdStage() { ZSTD_DCtx_setParameter(decoder_.get(), ZSTD_d_windowLogMax, 23); }

    Result<void> feed(std::string_view bytes, const DecodedSink& sink) override {
        ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
        bool is_block_full = false;
        while (input.pos < input.size || is_block_full) {
            Block block;
            ZSTD_outBuffer output{block.data(), block.size(), 0};
            const std::size_t hint = ZSTD_decompressStream(decoder_.get(), &output, &input);
            if (ZSTD_isError(hint)) return not_valid(name());
            if (output.pos > 0) TRY(sink({block.data(), output.pos}));
            is_frame_open_ = hint != 0;
            // Asking again after a frame's end would open the next one, and a whole body would look cut.
            is_block_full = hint != 0 && output.pos == output.size;
        }
        return {};
    }

    bool is_complete() const override { return !is_frame_open_; }
    std::string_view name() const override { return "zstd"; }

private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> decoder_{ZSTD_createDCtx()};
    bool is_frame_open_ = false;
};

}  // namespace

std::unique_ptr<DecoderStage> open_gzip_stage() {
    return std::make_unique<ZlibStage>(ZlibStage::Format::gzip);
}

std::unique_ptr<DecoderStage> open_deflate_stage() {
    return std::make_unique<ZlibStage>(ZlibStage::Format::deflate);
}

std::unique_ptr<DecoderStage> open_brotli_stage() {
    return std::make_unique<BrotliStage>();
}

std::unique_ptr<DecoderStage> open_zstd_stage() {
    return std::make_unique<ZstdStage>();
}

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
