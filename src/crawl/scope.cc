#include "crawl/scope.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <re2/re2.h>

#include "crawl/traps.h"
#include "crawl/url_identity.h"
#include "url/domain.h"
#include "url/percent.h"
#include "url/url.h"

namespace quarry::crawl {

namespace {

constexpr std::size_t longest_expression = 4 << 10;
constexpr std::size_t most_expressions = 1'000;
constexpr std::int64_t memory_of_one = 1 << 20;
constexpr std::int64_t memory_of_all = 8 << 20;

RE2::Options quiet(std::int64_t memory) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(memory);
    // URLs are ASCII; bytes keep RE2's automata small.
    options.set_encoding(RE2::Options::EncodingLatin1);
    return options;
}

Result<void> check_one(const std::string& expression) {
    if (expression.size() > longest_expression)
        return fail(ErrorCode::too_large,
                    fmt::format("the expression \"{}…\" is longer than 4 KB", expression.substr(0, 40)));
    const RE2 compiled(expression, quiet(memory_of_one));
    if (compiled.ok()) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is not an expression that quarry can match (RE2 syntax): {}", expression,
                            compiled.error()));
}

}  // namespace

PathFilter::PathFilter() = default;
PathFilter::PathFilter(PathFilter&&) noexcept = default;
PathFilter& PathFilter::operator=(PathFilter&&) noexcept = default;
PathFilter::~PathFilter() = default;

Result<PathFilter> PathFilter::create(std::span<const std::string> expressions) {
    PathFilter filter;
    if (expressions.empty()) return filter;
    if (expressions.size() > most_expressions)
        return fail(ErrorCode::too_large,
                    "a crawl takes at most 1,000 include and 1,000 exclude expressions");
    std::string joined;
    for (const std::string& expression : expressions) {
        TRY(check_one(expression));
        joined += joined.empty() ? "(?:" : "|(?:";
        joined += expression;
        joined += ')';
    }
    filter.joined_ = std::make_unique<RE2>(joined, quiet(memory_of_all));
    if (!filter.joined_->ok())
        return fail(ErrorCode::too_large,
                    fmt::format("the expressions are too large together: {}", filter.joined_->error()));
    return filter;
}

bool PathFilter::matches(std::string_view text) const {
    return joined_ && RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *joined_);
}

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

namespace {

constexpr std::array<std::string_view, belongs_count> names{"yes",        "too deep",      "other host",
                                                            "other path", "excluded",      "not included",
                                                            "not http",   "unlikely page", "trap"};

std::string_view without_fragment(const url::Url& url) {
    const auto fragment = url.fragment();
    return std::string_view(url.href()).substr(0, url.href().size() - (fragment ? fragment->size() + 1 : 0));
}

// What lies under it belongs. A last segment that names a file is not a folder; one that names nothing known
// may be: /docs is where /docs/install lies.
std::string folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    std::string folder;
    if (path.ends_with('/') || file_kind(path) != FileKind::unknown) {
        url::append_normalised(path.substr(0, slash + 1), folder);
    } else {
        url::append_normalised(path, folder);
        folder += '/';
    }
    return folder;
}

// Adds a folder to a sorted list in which none lies inside another.
void add_folder(std::string folder, std::vector<std::string>& folders) {
    auto place = std::ranges::upper_bound(folders, folder);
    if (place != folders.begin() && folder.starts_with(*std::prev(place))) return;
    auto inside_end = place;
    while (inside_end != folders.end() && inside_end->starts_with(folder)) ++inside_end;
    place = folders.erase(place, inside_end);
    folders.insert(place, std::move(folder));
}

// Since none lies inside another, only the last one that sorts before the path can hold it.
bool in_any(std::string_view path, const std::vector<std::string>& folders) {
    const auto after = std::ranges::upper_bound(folders, path, std::less<>());
    return after != folders.begin() && path.starts_with(*std::prev(after));
}

// /docs belongs to the folder /docs/, where servers send those who ask for it.
bool holds(const std::vector<std::string>& folders, std::string_view path) {
    const bool plain = path.find('%') == std::string_view::npos;
    if (plain && in_any(path, folders)) return true;
    thread_local std::string folder;  // kept for its memory
    folder.clear();
    url::append_normalised(path, folder);
    folder += '/';
    return in_any(folder, folders);
}

}  // namespace

std::string_view name_of(Belongs belongs) {
    return names[static_cast<std::size_t>(belongs)];
}

Result<Scope> Scope::create(const CrawlOptions& options, std::span<const std::string> roots) {
    Scope scope(TRY(PathFilter::create(options.include_paths)),
                TRY(PathFilter::create(options.exclude_paths)));
    scope.regex_on_full_url_ = options.regex_on_full_url;
    scope.entire_domain_ = options.entire_domain;
    scope.subdomains_ = options.subdomains;
    scope.external_ = options.external;
    scope.max_depth_ = options.list_only_seeds ? 0 : options.max_depth;
    for (const std::string& seed : options.urls) TRY(scope.add_root(seed));
    for (const std::string& root : roots) TRY(scope.add_root(root));
    return scope;
}

Result<void> Scope::add_root(const std::string& text) {
    const url::Url url = TRY(url::Url::parse(text));
    if (!url.is_http())
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("cannot crawl \"{}\": it is no http or https URL", url::without_secrets(text)));
    seeds_.insert(kept_url(url));
    const std::uint16_t port = url.port().value_or(0);
    auto& places = places_[std::string(without_www(url.host()))];
    auto place = std::ranges::find(places, port, &Place::port);
    if (place == places.end()) place = places.insert(place, Place{.port = port});
    add_folder(entire_domain_ ? "/" : folder_of(url.path()), place->folders);

    const std::string_view domain = url::registrable_domain(url.host());
    if (subdomains_ && !domain.empty()) {
        auto& ports = domains_[std::string(domain)];
        if (std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
    }
    return {};
}

Scope::Where Scope::locate(const url::Url& url) const {
    const std::string_view host = url.host();
    const std::uint16_t port = url.port().value_or(0);
    if (const auto found = places_.find(without_www(host)); found != places_.end()) {
        const auto place = std::ranges::find(found->second, port, &Place::port);
        if (place != found->second.end())
            return holds(place->folders, url.path()) ? Where::in_folder : Where::at_home;
    }
    if (domains_.empty()) return Where::elsewhere;
    // The list of public suffixes has to be asked, because one may lie below another: a host of
    // s3.amazonaws.com is none of amazonaws.com's owner.
    const auto domain = domains_.find(url::registrable_domain(host));
    const bool related =
        domain != domains_.end() && std::ranges::find(domain->second, port) != domain->second.end();
    return related ? Where::on_domain : Where::elsewhere;
}

bool Scope::is_at_home(const url::Url& url) const {
    return locate(url) != Where::elsewhere;
}

bool Scope::is_seed(const url::Url& url) const {
    const bool is_bare = url.username().empty() && url.password().empty();
    return is_bare ? seeds_.contains(without_fragment(url)) : seeds_.contains(kept_url(url));
}

Belongs Scope::judge(const url::Url& url) const {
    const Where where = locate(url);
    if (where == Where::elsewhere && !external_) return Belongs::other_host;
    if (where == Where::at_home) return Belongs::other_path;
    if (file_kind(url.path()) == FileKind::other) return Belongs::unlikely_page;
    if (is_trap(url)) return Belongs::trap;
    const std::string_view text = regex_on_full_url_ ? without_fragment(url) : url.path();
    if (exclude_.matches(text)) return Belongs::excluded;
    if (!include_.is_empty() && !include_.matches(text)) return Belongs::not_included;
    return Belongs::yes;
}

Belongs Scope::check(const url::Url& url) const {
    if (!url.is_http()) return Belongs::not_http;
    const Belongs belongs = judge(url);
    return belongs != Belongs::yes && is_seed(url) ? Belongs::yes : belongs;
}

Belongs Scope::check(const url::Url& url, int depth) const {
    const Belongs belongs = check(url);
    return belongs == Belongs::yes && is_too_deep(depth) && !is_seed(url) ? Belongs::too_deep : belongs;
}

}  // namespace quarry::crawl
