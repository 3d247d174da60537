// The tables behind mime_kind.cc. Order matters where said.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/mime_kind.h"

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

}  // namespace quarry::text
