#include "api/server/multipart.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/ascii.h"
#include "text/mime.h"

namespace quarry::api {
namespace {

constexpr std::string_view line_end = "\r\n";

std::unexpected<Error> wrong(std::string_view sentence) {
    return fail(ErrorCode::invalid_argument, fmt::format("the form cannot be read: {}", sentence));
}

// RFC 2046, 5.1.1: up to 70 characters, none of them a control character, and no space at the end.
bool can_be_boundary(std::string_view text) {
    constexpr std::size_t longest = 70;
    return !text.empty() && text.size() <= longest && text.back() != ' ' &&
           std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7F; });
}

Result<std::string> boundary_of(std::string_view content_type) {
    const auto type = text::parse_mime_type(content_type);
    if (!type || type->essence != "multipart/form-data")
        return fail(ErrorCode::unsupported,
                    "the request has to be multipart/form-data, with a part \"file\"");
    const std::string_view boundary = type->parameter("boundary");
    if (!can_be_boundary(boundary)) return wrong("its boundary is missing or cannot be one");
    return std::string(boundary);
}

// Where a boundary's line stands, and what follows it.
struct Delimiter {
    std::size_t begin = 0;  // of the line end before it, which belongs to it
    std::size_t end = 0;    // of its line
    bool is_last = false;
};

// Reads the rest of a line that began with a boundary; nothing if the line goes on with something else.
std::optional<Delimiter> delimiter_at(std::string_view body, std::size_t begin, std::size_t behind) {
    if (body.substr(behind).starts_with("--"))
        return Delimiter{.begin = begin, .end = behind + 2, .is_last = true};
    const std::size_t padded = std::min(body.find_first_not_of(" \t", behind), body.size());
    if (!body.substr(padded).starts_with(line_end)) return std::nullopt;
    return Delimiter{.begin = begin, .end = padded + line_end.size()};
}

// The next one at or behind `from`. `dashed` is the line end, two dashes and the boundary.
std::optional<Delimiter> find_delimiter(std::string_view body, std::size_t from, std::string_view dashed) {
    if (from == 0 && body.starts_with(dashed.substr(line_end.size())))
        if (const auto first = delimiter_at(body, 0, dashed.size() - line_end.size())) return first;
    for (std::size_t at = body.find(dashed, from); at != std::string_view::npos;
         at = body.find(dashed, at + 1))
        if (const auto found = delimiter_at(body, at, at + dashed.size())) return found;
    return std::nullopt;
}

// What stands behind a parameter's name and '=': quoted or not. Takes it from the text.
std::string take_value(std::string_view& rest) {
    std::string value;
    if (!rest.starts_with('"')) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        value = trimmed(rest.substr(0, end));
        rest.remove_prefix(end);
        return value;
    }
    rest.remove_prefix(1);
    while (!rest.empty() && rest.front() != '"') {
        // Only a quote is escaped so: a backslash may also be one of a Windows path.
        if (rest.starts_with("\\\"")) rest.remove_prefix(1);
        value += rest.front();
        rest.remove_prefix(1);
    }
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    return value;
}

// Browsers and their heirs write these three so, and nothing else.
std::string without_escapes(std::string_view text) {
    constexpr std::pair<std::string_view, char> escapes[] = {{"%22", '"'}, {"%0D", '\r'}, {"%0A", '\n'}};
    std::string plain;
    while (!text.empty()) {
        const auto* escape =
            std::ranges::find_if(escapes, [&](const auto& one) { return text.starts_with(one.first); });
        const bool is_escape = escape != std::end(escapes);
        plain += is_escape ? escape->second : text.front();
        text.remove_prefix(is_escape ? escape->first.size() : 1);
    }
    return plain;
}

Result<void> read_disposition(std::string_view value, FormPart& part) {
    const std::size_t end = std::min(value.find(';'), value.size());
    if (!equals_ignore_case(trimmed(value.substr(0, end)), "form-data"))
        return wrong("a part is no form-data");
    std::string_view rest = value.substr(end);
    while (!rest.empty()) {
        rest.remove_prefix(std::min(rest.find_first_not_of("; \t"), rest.size()));
        const std::size_t equals = std::min(rest.find('='), rest.size());
        const std::string_view name = trimmed(rest.substr(0, equals));
        rest.remove_prefix(std::min(equals + 1, rest.size()));
        const std::string text = without_escapes(take_value(rest));
        if (equals_ignore_case(name, "name")) part.name = text;
        if (equals_ignore_case(name, "filename")) part.filename = text;
        rest.remove_prefix(std::min(rest.find(';'), rest.size()));
    }
    return {};
}

Result<void> read_header(std::string_view line, FormPart& part) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return wrong("a header of a part has no colon");
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equals_ignore_case(name, "content-disposition")) return read_disposition(value, part);
    if (equals_ignore_case(name, "content-type")) part.content_type = value;
    const bool is_encoding = equals_ignore_case(name, "content-transfer-encoding");
    if (is_encoding && !equals_ignore_case(value, "binary") && !equals_ignore_case(value, "8bit") &&
        !equals_ignore_case(value, "7bit"))
        return fail(ErrorCode::unsupported, "parts have to be sent as they are, without a transfer encoding");
    return {};
}

// The headers at the front of a part's text, which keeps its body.
Result<FormPart> read_part(std::string_view text, const MultipartLimits& limits) {
    FormPart part;
    const std::string_view front = text.substr(0, limits.header_bytes);
    for (std::size_t at = 0;;) {
        const std::size_t end = front.find(line_end, at);
        if (end == std::string_view::npos && front.size() < text.size())
            return fail(
                ErrorCode::too_large,
                fmt::format("a part of the form has more than {} bytes of headers", limits.header_bytes));
        if (end == std::string_view::npos) return wrong("a part has no empty line behind its headers");
        const std::string_view line = front.substr(at, end - at);
        at = end + line_end.size();
        if (line.empty()) {
            part.body = text.substr(at);
            return part;
        }
        TRY(read_header(line, part));
    }
}

}  // namespace

Result<std::vector<FormPart>> parse_multipart(std::string_view content_type, std::string_view body,
                                              const MultipartLimits& limits) {
    const std::string boundary = TRY(boundary_of(content_type));
    const std::string dashed = fmt::format("{}--{}", line_end, boundary);
    auto before = find_delimiter(body, 0, dashed);
    if (!before) return wrong("its boundary does not occur");
    std::vector<FormPart> parts;
    while (!before->is_last) {
        if (parts.size() == limits.parts)
            return fail(ErrorCode::too_large, fmt::format("the form has more than {} parts", limits.parts));
        const auto after = find_delimiter(body, before->end, dashed);
        if (!after) return wrong("its last part does not end");
        parts.push_back(TRY(read_part(body.substr(before->end, after->begin - before->end), limits)));
        before = after;
    }
    return parts;
}

}  // namespace quarry::api
