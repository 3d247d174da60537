#include "crawl/file_extension.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace quarry::crawl {

namespace {

constexpr std::size_t longest_extension = 8;

// An extension of up to eight letters as one number: comparing is one instruction, and a table of them is
// searched in a few.
constexpr std::uint64_t packed(std::string_view extension) {
    std::uint64_t number = 0;
    for (const char c : extension) {
        const bool upper = c >= 'A' && c <= 'Z';
        number = number << 8 | static_cast<unsigned char>(upper ? c | 0x20 : c);
    }
    return number;
}

template <std::size_t count>
constexpr std::array<std::uint64_t, count> sorted(const std::string_view (&extensions)[count]) {
    std::array<std::uint64_t, count> numbers{};
    for (std::size_t i = 0; i < count; ++i) numbers[i] = packed(extensions[i]);
    std::ranges::sort(numbers);
    return numbers;
}

constexpr auto pages =
    sorted({"html", "htm",  "xhtml", "shtml", "shtm", "phtml",    "mhtml", "php",  "php3", "php4",
            "php5", "asp",  "aspx",  "jsp",   "jspx", "jsf",      "do",    "cfm",  "cgi",  "pl",
            "py",   "rb",   "txt",   "text",  "md",   "markdown", "rst",   "adoc", "xml",  "rss",
            "atom", "json", "pdf",   "csv",   "log",  "yaml",     "yml",   "toml", "ini"});

// Words that end other names are not here: `com`, `ai` and `so` end host names, and sites have pages about
// sites; `map`, `key`, `class` or `step` end names in programs, and references have pages about those.
constexpr auto others = sorted(
    {// images
     "png", "jpg", "jpeg", "jpe", "jfif", "gif", "webp", "avif", "heic", "svg", "svgz", "ico", "icns", "bmp",
     "tif", "tiff", "psd", "eps", "xcf", "cr2", "nef", "jp2", "jxl", "apng",
     // sound and moving pictures
     "mp3", "mp4", "m4a", "m4v", "aac", "flac", "ogg", "oga", "ogv", "opus", "wav", "wma", "wmv", "weba",
     "webm", "avi", "mov", "mkv", "mpg", "mpeg", "flv", "swf", "3gp", "mid", "midi", "aiff", "m3u", "m3u8",
     "vtt", "srt",
     // archives and images of disks
     "zip", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "lz", "lzma", "lz4", "7z", "rar", "tar", "cab",
     "iso", "dmg", "vhd", "vmdk", "qcow2", "br", "cpio", "ova",
     // programs and packages
     "exe", "msi", "msix", "dll", "dylib", "apk", "aab", "ipa", "deb", "rpm", "jar", "war", "ear", "whl",
     "egg", "nupkg", "crx", "xpi", "flatpak", "pyc", "wasm", "torrent",
     // parts of pages
     "css", "scss", "sass", "js", "mjs", "cjs", "jsx", "woff", "woff2", "ttf", "otf", "eot", "cur", "inc",
     // data that quarry does not read
     "doc", "docx", "docm", "dotx", "xls", "xlsx", "xlsm", "xlsb", "ppt", "pptx", "pps", "ppsx", "odt", "ods",
     "odp", "odg", "rtf", "epub", "mobi", "azw3", "djvu", "ps", "dvi", "chm", "sqlite", "mdb", "parquet",
     "npy", "npz", "h5", "hdf5", "dwg", "dxf", "stl", "stp", "fbx", "blend", "gltf", "glb", "kmz", "shp",
     "ics", "vcf", "p7s", "sig", "pem", "crt", "cer", "der", "p12", "pfx"});

std::string_view extension_of(std::string_view path) {
    // Everything of interest lies in the last nine bytes, however long the path.
    const std::string_view end = path.substr(path.size() - std::min(path.size(), longest_extension + 1));
    const std::size_t dot = end.find_last_of("./");
    return dot == std::string_view::npos || end[dot] == '/' ? std::string_view() : end.substr(dot + 1);
}

}  // namespace

FileKind file_kind(std::string_view path) {
    const std::string_view extension = extension_of(path);
    if (extension.empty()) return FileKind::unknown;
    const std::uint64_t number = packed(extension);
    if (std::ranges::binary_search(pages, number)) return FileKind::page;
    if (!std::ranges::binary_search(others, number)) return FileKind::unknown;
    return path.substr(path.rfind('/') + 1).find(':') == std::string_view::npos ? FileKind::other
                                                                                : FileKind::page;
}

}  // namespace quarry::crawl
