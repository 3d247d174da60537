#include "servers/bombs.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

namespace quarry::test {

std::string gzipped(std::string_view text) {
    constexpr int gzip_window = 15 + 16;
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, gzip_window, 9, Z_DEFAULT_STRATEGY);
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

std::string brotli_zeros(std::size_t decoded_bytes) {
    const std::unique_ptr<BrotliEncoderState, decltype(&BrotliEncoderDestroyInstance)> encoder(
        BrotliEncoderCreateInstance(nullptr, nullptr, nullptr), BrotliEncoderDestroyInstance);
    BrotliEncoderSetParameter(encoder.get(), BROTLI_PARAM_QUALITY, 3);
    const std::string zeros(1 << 20, '\0');
    std::string out;
    while (!BrotliEncoderIsFinished(encoder.get())) {
        std::size_t input_size = std::min(decoded_bytes, zeros.size());
        decoded_bytes -= input_size;
        const auto* input = reinterpret_cast<const std::uint8_t*>(zeros.data());
        std::uint8_t buffer[4096];
        while (true) {
            std::size_t room = sizeof buffer;
            std::uint8_t* output = buffer;
            BrotliEncoderCompressStream(
                encoder.get(), decoded_bytes == 0 ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS,
                &input_size, &input, &room, &output, nullptr);
            out.append(reinterpret_cast<const char*>(buffer), sizeof buffer - room);
            if (input_size == 0 && !BrotliEncoderHasMoreOutput(encoder.get())) break;
        }
    }
    return out;
}

std::string zstd_zeros(std::size_t decoded_bytes) {
    // Frames may follow one another, so one small frame is enough.
    const std::string zeros(1 << 22, '\0');
    std::string frame(ZSTD_compressBound(zeros.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 3));
    std::string out;
    for (std::size_t done = 0; done < decoded_bytes; done += zeros.size()) out += frame;
    return out;
}

}  // namespace quarry::test
