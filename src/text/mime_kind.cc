// The tables behind mime_kind.cc. Order matters where said.
#include "text/mime_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "text/mime.h"

namespace quarry::text {

// Names for people, in the order of ContentKind.
inline constexpr std::string_view kind_names[] = {
    "HTML page", "XHTML page", "plain text", "markdown",     "feed",
    "sitemap",   "XML",        "JSON",       "PDF document", "binary data",
};

// Types that servers send for files they know nothing about.
inline constexpr std::string_view generic_types[] = {
    "application/octet-stream", "application/unknown",    "application/x-unknown-content-type",
    "binary/octet-stream",      "unknown/unknown",        "application/force-download",
    "application/download",     "application/x-download",
};

struct XmlRoot {
    std::string_view name;
    ContentKind kind;
};
inline constexpr XmlRoot xml_roots[] = {
    {"rss", ContentKind::feed},
    {"feed", ContentKind::feed},
    {"rdf:rdf", ContentKind::feed},
    {"urlset", ContentKind::sitemap},
    {"sitemapindex", ContentKind::sitemap},
    {"html", ContentKind::xhtml},
};

struct Extension {
    std::string_view name;
    ContentKind kind;
};
inline constexpr Extension extensions[] = {
    {"html", ContentKind::html},    {"htm", ContentKind::html},          {"xhtml", ContentKind::xhtml},
    {"md", ContentKind::markdown},  {"markdown", ContentKind::markdown}, {"mdown", ContentKind::markdown},
    {"mkd", ContentKind::markdown}, {"mdx", ContentKind::markdown},      {"json", ContentKind::json},
    {"jsonld", ContentKind::json},  {"xml", ContentKind::xml},           {"rss", ContentKind::feed},
    {"atom", ContentKind::feed},
};

// What the standard takes for HTML when nothing says so. Behind each must come a space or '>'.
inline constexpr std::string_view html_beginnings[] = {
    "<!doctype html", "<html",  "<head", "<script", "<iframe", "<h1", "<div",  "<font", "<table", "<a",
    "<style",         "<title", "<b",    "<body",   "<br",     "<p",  "<meta", "<link", "<!--",
};

struct Signature {
    std::size_t offset;
    std::string_view bytes;
    std::string_view also;  // must stand somewhere in the first 64 bytes as well
    std::string_view name;
};

// The first that fits counts: special forms before general ones.
inline constexpr Signature signatures[] = {
    {0, "\x89PNG\r\n\x1A\n", "", "PNG image"},
    {0, "\xFF\xD8\xFF", "", "JPEG image"},
    {0, "GIF87a", "", "GIF image"},
    {0, "GIF89a", "", "GIF image"},
    {0, "RIFF", "WEBP", "WebP image"},
    {0, "RIFF", "WAVE", "WAV audio"},
    {0, "RIFF", "AVI ", "AVI video"},
    {4, "ftypavif", "", "AVIF image"},
    {4, "ftyphei", "", "HEIC image"},
    {4, "ftypmif1", "", "HEIC image"},
    {4, "ftypM4A", "", "M4A audio"},
    {4, "ftypqt", "", "QuickTime video"},
    {4, "ftyp", "", "MP4 video"},
    {0, "II*\0", "", "TIFF image"},
    {0, std::string_view("MM\0*", 4), "", "TIFF image"},
    {0, std::string_view("\0\0\1\0", 4), "", "icon"},
    {0, "\xFF\x0A", "", "JPEG XL image"},
    {0, "8BPS", "", "Photoshop image"},
    {0, "PK\3\4", "mimetypeapplication/epub", "EPUB book"},
    {0, "PK\3\4", "mimetypeapplication/vnd.oasis", "OpenDocument file"},
    {0, "PK\3\4", "[Content_Types].xml", "Office document"},
    {0, "PK\3\4", "", "ZIP archive"},
    {0, "PK\5\6", "", "ZIP archive"},
    {0, "\x1F\x8B", "", "gzip archive"},
    {0, "BZh", "1AY&SY", "bzip2 archive"},
    {0,
     std::string_view("\xFD"
                      "7zXZ\0",
                      6),
     "", "xz archive"},
    {0, "\x28\xB5\x2F\xFD", "", "zstd archive"},
    {0, "7z\xBC\xAF\x27\x1C", "", "7-Zip archive"},
    {0, "Rar!\x1A\x07", "", "RAR archive"},
    {257, "ustar", "", "tar archive"},
    {0, "!<arch>\n", "", "Debian package or library archive"},
    {0, "\xED\xAB\xEE\xDB", "", "RPM package"},
    {0, "ID3", "", "MP3 audio"},
    {0, "\xFF\xFB", "", "MP3 audio"},
    {0, "OggS", "", "Ogg audio or video"},
    {0, "fLaC", "", "FLAC audio"},
    {0, "MThd", "", "MIDI audio"},
    {0, "\x1A\x45\xDF\xA3", "", "WebM or Matroska video"},
    {0, "FLV\1", "", "Flash video"},
    {0, "wOFF", "", "web font"},
    {0, "wOF2", "", "web font"},
    {0, "OTTO", "", "font"},
    {0, std::string_view("\0\1\0\0", 4), "", "font"},
    {0,
     "\x7F"
     "ELF",
     "", "Linux program"},
    {0, "MZ\x90", "", "Windows program"},
    {0, "\xCF\xFA\xED\xFE", "", "macOS program"},
    {0, "\xCA\xFE\xBA\xBE", "", "Java class or macOS program"},
    {0, std::string_view("\0asm", 4), "", "WebAssembly module"},
    {0, "SQLite format 3", "", "SQLite database"},
    {0, "%!PS-Adobe", "", "PostScript document"},
    {0, "{\\rtf", "", "RTF document"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "", "old Office document"},
    {0, "AT&TFORM", "", "DjVu document"},
};

struct KnownType {
    std::string_view essence;  // "image/" is any image, "+json" any type ending so
    ContentKind kind;
    std::string_view name = {};  // for ContentKind::other
};

// The first that fits counts: exact types before prefixes and suffixes.
inline constexpr KnownType known_types[] = {
    {"text/html", ContentKind::html},
    {"application/xhtml+xml", ContentKind::xhtml},
    {"application/vnd.wap.xhtml+xml", ContentKind::xhtml},
    {"text/markdown", ContentKind::markdown},
    {"text/x-markdown", ContentKind::markdown},
    {"application/markdown", ContentKind::markdown},
    {"application/rss+xml", ContentKind::feed},
    {"application/atom+xml", ContentKind::feed},
    {"application/rdf+xml", ContentKind::xml},
    {"text/xml", ContentKind::xml},
    {"application/xml", ContentKind::xml},
    {"application/json", ContentKind::json},
    {"text/json", ContentKind::json},
    {"application/pdf", ContentKind::pdf},
    {"application/x-pdf", ContentKind::pdf},
    {"image/svg+xml", ContentKind::other, "SVG image"},
    {"application/mathml+xml", ContentKind::xml},
    {"text/css", ContentKind::other, "style sheet"},
    {"text/javascript", ContentKind::other, "JavaScript"},
    {"text/ecmascript", ContentKind::other, "JavaScript"},
    {"application/javascript", ContentKind::other, "JavaScript"},
    {"application/x-javascript", ContentKind::other, "JavaScript"},
    {"application/ecmascript", ContentKind::other, "JavaScript"},
    {"application/wasm", ContentKind::other, "WebAssembly module"},
    {"text/calendar", ContentKind::other, "calendar"},
    {"text/vcard", ContentKind::other, "contact card"},
    {"application/x-ndjson", ContentKind::plain_text},
    {"application/jsonl", ContentKind::plain_text},
    {"application/yaml", ContentKind::plain_text},
    {"application/x-yaml", ContentKind::plain_text},
    {"application/toml", ContentKind::plain_text},
    {"application/x-sh", ContentKind::plain_text},
    {"application/x-tex", ContentKind::plain_text},
    {"application/zip", ContentKind::other, "ZIP archive"},
    {"application/x-zip-compressed", ContentKind::other, "ZIP archive"},
    {"application/gzip", ContentKind::other, "gzip archive"},
    {"application/x-gzip", ContentKind::other, "gzip archive"},
    {"application/x-tar", ContentKind::other, "tar archive"},
    {"application/x-7z-compressed", ContentKind::other, "7-Zip archive"},
    {"application/vnd.rar", ContentKind::other, "RAR archive"},
    {"application/x-rar-compressed", ContentKind::other, "RAR archive"},
    {"application/epub+zip", ContentKind::other, "EPUB book"},
    {"application/postscript", ContentKind::other, "PostScript document"},
    {"application/rtf", ContentKind::other, "RTF document"},
    {"text/rtf", ContentKind::other, "RTF document"},
    {"application/msword", ContentKind::other, "Word document"},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ContentKind::other,
     "Word document"},
    {"application/vnd.ms-excel", ContentKind::other, "Excel workbook"},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ContentKind::other,
     "Excel workbook"},
    {"application/vnd.ms-powerpoint", ContentKind::other, "PowerPoint presentation"},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation", ContentKind::other,
     "PowerPoint presentation"},
    {"application/vnd.apple.mpegurl", ContentKind::other, "video playlist"},
    {"application/x-mpegurl", ContentKind::other, "video playlist"},
    {"application/ogg", ContentKind::other, "Ogg audio or video"},
    {"+json", ContentKind::json},
    {"+xml", ContentKind::xml},
    {"image/", ContentKind::other, "image"},
    {"audio/", ContentKind::other, "audio"},
    {"video/", ContentKind::other, "video"},
    {"font/", ContentKind::other, "font"},
    {"model/", ContentKind::other, "3D model"},
    {"text/", ContentKind::plain_text},
};

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
        if (starts_with_ignore_case(name, root) && name.size() == root.size()) return kind;
    }
    return std::nullopt;
}

bool looks_like_html(std::string_view bytes) {
    bytes = without_preamble(bytes);
    return std::ranges::any_of(html_beginnings, [bytes](std::string_view beginning) {
        if (!starts_with_ignore_case(bytes, beginning)) return false;
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
        if (extension.size() == known.size() && starts_with_ignore_case(extension, known)) return kind;
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
