#include "crawl/gunzip.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

namespace quarry::crawl {

namespace {

constexpr std::size_t step_bytes = 256 << 10;
constexpr int gzip_only = 16 + MAX_WBITS;  // zlib's way to say: expect a gzip header

// One zlib stream, ended whatever happens.
class Inflater {
public:
    explicit Inflater(std::string_view bytes) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        ready_ = inflateInit2(&stream_, gzip_only) == Z_OK;
    }
    ~Inflater() {
        if (ready_) inflateEnd(&stream_);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    bool is_ready() const { return ready_; }
    bool has_input() const { return stream_.avail_in > 0; }

    // Appends up to `room` bytes to `out`; zlib's verdict.
    int step(std::string& out, std::size_t room) {
        const std::size_t before = out.size();
        out.resize(before + std::min(room, step_bytes));
        stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
        stream_.avail_out = static_cast<uInt>(out.size() - before);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        out.resize(out.size() - stream_.avail_out);
        return status;
    }

    // A gzip file may be several, one behind the other. Bytes behind the last that begin no other are
    // padding.
    bool begin_next_member() {
        const bool another =
            stream_.avail_in >= 2 && stream_.next_in[0] == 0x1f && stream_.next_in[1] == 0x8b;
        return another && inflateReset(&stream_) == Z_OK;
    }

private:
    z_stream stream_{};
    bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b");
}

Result<Unpacked> gunzip_bounded(std::string_view bytes, std::size_t limit) {
    if (!is_gzip(bytes)) return fail(ErrorCode::corrupt, "the file is not in gzip format");
    Inflater inflater(bytes.substr(0, std::numeric_limits<uInt>::max()));
    if (!inflater.is_ready()) return fail(ErrorCode::unavailable, "there is no memory to unpack gzip");
    Unpacked unpacked;
    while (true) {
        // One byte more than allowed tells a file that ends at the limit from one that goes on.
        const int status = inflater.step(unpacked.bytes, limit + 1 - unpacked.bytes.size());
        if (unpacked.bytes.size() > limit) {
            unpacked.bytes.resize(limit);
            unpacked.warning = fmt::format("the gzip file unpacks to over {} bytes and was cut there", limit);
            return unpacked;
        }
        if (status == Z_STREAM_END) {
            if (!inflater.begin_next_member()) return unpacked;
        } else if (status != Z_OK) {
            break;
        }
    }
    unpacked.warning = inflater.has_input() ? "the gzip file is damaged" : "the gzip file ends too early";
    if (unpacked.bytes.empty()) return fail(ErrorCode::corrupt, unpacked.warning);
    return unpacked;
}

}  // namespace quarry::crawl
