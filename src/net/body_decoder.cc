#include "net/decoder_stage.h"

#include <array>
#include <string>

#include <brotli/decode.h>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace quarry::net {

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

}  // namespace quarry::net
