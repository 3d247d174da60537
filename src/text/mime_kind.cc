#include "text/mime_kind.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/ascii.h"
#include "text/mime.h"
#include "text/mime_tables.h"

namespace quarry::text {
namespace {

constexpr std::size_t sniffed_bytes = 4096;

std::string_view without_preamble(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    while (!bytes.empty() && is_ascii_space(bytes.front())) bytes.remove_prefix(1);
    return bytes;
}

bool has_utf16_mark(std::string_view bytes) {
    return bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE");
}

// The standard's binary data bytes: controls that no text has.
bool is_binary_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) || (byte >= 0x1C && byte <= 0x1F);
}

// False if there is no byte below 0x20 among the first eight: most of a text needs no closer look.
// Subtracting 0x20 from such a byte sets its top bit.
constexpr std::size_t control_step = 8;
bool may_have_controls(std::string_view bytes) {
    constexpr std::uint64_t low_bits = 0x0101010101010101, top_bits = low_bits << 7;
    if (bytes.size() < control_step) return true;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), control_step);
    return ((word - low_bits * 0x20) & ~word & top_bits) != 0;
}

// For the standard a single such byte makes binary data. Real pages do have a stray NUL now and then, and
// their text is wanted, so one byte in 32 is forgiven; archives and pictures have far more.
bool is_binary(std::string_view bytes) {
    if (has_utf16_mark(bytes)) return false;
    const std::size_t size = bytes.size();
    std::size_t binary = 0;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), control_step))) {
        if (may_have_controls(bytes))
            binary += static_cast<std::size_t>(
                std::ranges::count_if(bytes.substr(0, control_step), is_binary_byte));
    }
    return binary * 32 > size;
}

// The kind of an XML document, told by its first element.
std::optional<ContentKind> kind_of_xml(std::string_view bytes) {
    for (;;) {
        bytes = without_preamble(bytes);
        const bool is_comment = bytes.starts_with("<!--");
        if (!is_comment && !bytes.starts_with("<?") && !bytes.starts_with("<!")) break;
        const std::size_t end = is_comment ? bytes.find("-->") : bytes.find('>');
        if (end == std::string_view::npos) return std::nullopt;
        bytes.remove_prefix(end + (is_comment ? 3 : 1));
    }
    if (!bytes.starts_with('<')) return std::nullopt;
    bytes.remove_prefix(1);
    const std::string_view name = bytes.substr(0, bytes.find_first_of(" \t\r\n/>"));
    for (const auto& [root, kind] : xml_roots) {
        if (starts_with_ignoring_case(name, root) && name.size() == root.size()) return kind;
    }
    return std::nullopt;
}

bool looks_like_html(std::string_view bytes) {
    bytes = without_preamble(bytes);
    return std::ranges::any_of(html_beginnings, [bytes](std::string_view beginning) {
        if (!starts_with_ignoring_case(bytes, beginning)) return false;
        if (beginning == "<!--") return true;
        return bytes.size() > beginning.size() &&
               (is_ascii_space(bytes[beginning.size()]) || bytes[beginning.size()] == '>');
    });
}

const Signature* find_signature(std::string_view bytes) {
    for (const Signature& signature : signatures) {
        if (bytes.size() >= signature.offset && bytes.substr(signature.offset).starts_with(signature.bytes) &&
            (signature.also.empty() || bytes.substr(0, 64).contains(signature.also))) {
            return &signature;
        }
    }
    return nullptr;
}

std::string_view extension_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
    const std::size_t dot = file.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1);
}

std::optional<ContentKind> kind_of_extension(std::string_view path) {
    const std::string_view extension = extension_of(path);
    for (const auto& [known, kind] : extensions) {
        if (extension.size() == known.size() && starts_with_ignoring_case(extension, known)) return kind;
    }
    return std::nullopt;
}

Content of_kind(ContentKind kind) {
    return {kind, std::string(kind_names[static_cast<std::size_t>(kind)])};
}

Content of_xml(std::string_view bytes) {
    return of_kind(kind_of_xml(bytes).value_or(ContentKind::xml));
}

// What the bytes are when no header can be believed.
Content sniff(std::string_view url_path, std::string_view bytes) {
    if (looks_like_html(bytes)) return of_kind(ContentKind::html);
    if (is_binary(bytes)) return {ContentKind::other, "binary data"};
    const std::string_view start = without_preamble(bytes);
    if (start.starts_with("<?xml")) return of_xml(start);
    if (const auto kind = kind_of_xml(start)) return of_kind(*kind);
    return of_kind(kind_of_extension(url_path).value_or(ContentKind::plain_text));
}

bool is_generic(std::string_view essence) {
    return std::ranges::find(generic_types, essence) != std::end(generic_types);
}

const KnownType* find_type(std::string_view essence) {
    for (const KnownType& known : known_types) {
        const bool is_prefix = known.essence.ends_with('/');
        const bool is_suffix = known.essence.starts_with('+');
        if (is_prefix   ? essence.starts_with(known.essence)
            : is_suffix ? essence.ends_with(known.essence)
                        : essence == known.essence) {
            return &known;
        }
    }
    return nullptr;
}

// text/plain is believed for text, but servers use it for every file they do not know.
Content plain_text(std::string_view url_path, std::string_view bytes) {
    if (is_binary(bytes)) return {ContentKind::other, "binary data"};
    return of_kind(kind_of_extension(url_path) == ContentKind::markdown ? ContentKind::markdown
                                                                        : ContentKind::plain_text);
}

Content by_header(std::string_view essence, std::string_view url_path, std::string_view bytes) {
    const KnownType* known = find_type(essence);
    if (known == nullptr || known->kind == ContentKind::other) {
        if (looks_like_html(bytes)) return of_kind(ContentKind::html);
        return {ContentKind::other,
                known == nullptr ? std::string(essence) + " content" : std::string(known->name)};
    }
    if (known->kind == ContentKind::pdf) return sniff(url_path, bytes);  // it has no PDF signature
    if (known->kind == ContentKind::plain_text) return plain_text(url_path, bytes);
    if (!looks_like_html(bytes) && is_binary(bytes)) return {ContentKind::other, "binary data"};
    return known->kind == ContentKind::xml ? of_xml(bytes) : of_kind(known->kind);
}

}  // namespace

Content classify(std::string_view content_type, std::string_view url_path, std::string_view first_bytes) {
    const std::string_view bytes = first_bytes.substr(0, sniffed_bytes);
    // A PDF may have up to a kilobyte of something else in front of it.
    if (bytes.substr(0, 1024).contains("%PDF-") && !looks_like_html(bytes)) return of_kind(ContentKind::pdf);
    if (const Signature* signature = find_signature(bytes))
        return {ContentKind::other, std::string(signature->name)};
    const auto type = parse_mime_type(content_type);
    if (!type || is_generic(type->essence)) return sniff(url_path, bytes);
    return by_header(type->essence, url_path, bytes);
}

}  // namespace quarry::text
