// The XML reader on any bytes: starts and ends pair up, and the limits hold.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/xml.h"

namespace {

constexpr quarry::text::XmlLimits limits{.max_bytes = 1 << 16, .max_text_bytes = 100, .max_depth = 8};

void require(bool promise) {
    if (!promise) std::abort();
}

class Checker : public quarry::text::XmlHandler {
public:
    void start(const quarry::text::XmlName& name, std::span<const quarry::text::XmlAttribute>) override {
        require(!name.local.empty());
        require(++depth_ <= limits.max_depth);
        text_bytes_ = 0;
    }
    void end(const quarry::text::XmlName&) override {
        require(--depth_ >= 0);
        text_bytes_ = 0;
    }
    void text(std::string_view text) override {
        require((text_bytes_ += text.size()) <= limits.max_text_bytes);
    }

private:
    int depth_ = 0;
    std::size_t text_bytes_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Checker checker;
    const auto result = quarry::text::read_xml({reinterpret_cast<const char*>(data), size}, checker, limits);
    require(result || !result.error().message.empty());
    return 0;
}
