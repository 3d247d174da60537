// A form of any bytes: its parts lie in it, in order and apart, and written again they are read as the same.
// The input's first line is the boundary.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/server/multipart.h"

using quarry::api::FormPart;
using quarry::api::parse_multipart;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

std::string written(const std::vector<FormPart>& parts, const std::string& boundary) {
    std::string text;
    for (const FormPart& part : parts) text += "--" + boundary + "\r\n\r\n" + std::string(part.body) + "\r\n";
    return text + "--" + boundary + "--";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = input.find('\n');
    if (line == std::string_view::npos) return 0;
    const std::string type = "multipart/form-data; boundary=\"" + std::string(input.substr(0, line)) + "\"";
    const std::string_view body = input.substr(line + 1);

    const auto parts = parse_multipart(type, body);
    if (!parts) return 0;

    const char* behind = body.data();
    for (const FormPart& part : *parts) {
        require(part.body.data() >= behind);
        behind = part.body.data() + part.body.size();
        require(behind <= body.data() + body.size());
    }
    // One that no part can hold.
    const std::string other(70, '=');
    if (body.find(other) != std::string_view::npos) return 0;
    const std::string copy = written(*parts, other);
    const auto again = parse_multipart("multipart/form-data; boundary=\"" + other + "\"", copy);
    require(again && again->size() == parts->size());
    for (std::size_t i = 0; i < parts->size(); ++i) require((*again)[i].body == (*parts)[i].body);
    return 0;
}
