#include "fetch/pdf/pdf_protocol.h"

#include <charconv>

#include <fmt/format.h>

namespace quarry::fetch {
namespace {

template <typename Number>
bool take_number(std::string_view& line, Number& number) {
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (problem != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (line.starts_with(' ')) line.remove_prefix(1);
    return true;
}

}  // namespace

std::string PdfRequest::header() const {
    return fmt::format("{} {} {}\n", cpu_seconds, memory_bytes, pages);
}

std::optional<PdfRequest> PdfRequest::parse(std::string_view input) {
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    PdfRequest request{.pdf = input.substr(end + 1)};
    std::string_view line = input.substr(0, end);
    const bool is_complete = take_number(line, request.cpu_seconds) &&
                             take_number(line, request.memory_bytes) && take_number(line, request.pages) &&
                             line.empty();
    return is_complete ? std::optional(request) : std::nullopt;
}

}  // namespace quarry::fetch
