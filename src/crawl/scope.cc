#include "crawl/scope.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "crawl/file_extension.h"
#include "crawl/crawl_traps.h"
#include "crawl/url_identity.h"
#include "url/domain.h"
#include "url/page_address.h"
#include "url/percent.h"

namespace quarry::crawl {

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
