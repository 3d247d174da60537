// Which URLs belong to a crawl. Scope is asked for every link of every page, so it allocates nothing and
// looks at a URL's parts once, the cheapest first. PathFilter holds the include and exclude expressions:
// RE2 takes time linear in what it looks at, whatever the expression, and several are joined into one, so
// that a URL is looked at once. file_kind tells from the end of a path what is behind it, before it is
// fetched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "crawl/options/options.h"
#include "url/url.h"

namespace re2 {
class RE2;
}

namespace quarry::crawl {

// The include and exclude expressions of a crawl. RE2 takes time linear in what it looks at, whatever the
// expression; several are joined into one, so that a URL is looked at once.

class PathFilter {
public:
    // Fails with `invalid_argument` and a sentence on an expression that does not parse (RE2 has no
    // look-ahead and no back references), is longer than 4 KB, or would need more than a megabyte.
    static Result<PathFilter> create(std::span<const std::string> expressions);

    PathFilter(PathFilter&&) noexcept;
    PathFilter& operator=(PathFilter&&) noexcept;
    ~PathFilter();

    bool is_empty() const { return joined_ == nullptr; }  // no expressions: nothing matches

    // Whether any expression matches somewhere in the text. Safe from many threads.
    bool matches(std::string_view text) const;

private:
    PathFilter();

    std::unique_ptr<re2::RE2> joined_;
};

// What the end of a path tells about what is behind it, before it is fetched.

enum class FileKind : std::uint8_t {
    unknown,  // no extension, or one that says nothing
    page,     // html, php, pdf, txt …: something to read
    other,    // an image, an archive, a font, a style sheet …: certainly no page
};

// Judged by the last segment's extension, in any letter case. A segment with a colon is a page whatever it
// ends in: wikis describe a picture at `File:Map.png`.
FileKind file_kind(std::string_view path);

// Which URLs belong to a crawl. Asked for every link of every page, so it allocates nothing and looks at a
// URL's parts once, the cheapest first.

enum class Belongs : std::uint8_t {
    yes,
    too_deep,       // more links from the start than allowed
    other_host,     // on another site
    other_path,     // on the site, but not under the start's folder
    excluded,       // an exclude expression matches
    not_included,   // no include expression matches
    not_http,       // mailto:, javascript:, ftp: …
    unlikely_page,  // an image, an archive … by its extension
    trap,           // see traps.h
};

inline constexpr std::size_t belongs_count = 9;

// "excluded", "other path" …: for counts that people see.
std::string_view name_of(Belongs belongs);

// A value that never changes: made anew when a redirect of a seed widens the crawl. Safe from many threads.
//
// The site is the host of each seed, with or without "www.", on its port; http and https on their own ports
// are one. Of it belongs what lies under the seed's folder: of /docs/guide.html and of /docs/ that is /docs/,
// of /docs it is /docs and what lies under it. With `entire_domain` it is the whole host. With `subdomains`
// every other host of the registrable domain belongs too, as a whole, because a folder means nothing on
// another host. With `external` so does every other site. Several seeds add up.
//
// A seed belongs in any case: expressions, depth and folders choose among what is found from it.
class Scope {
public:
    // `roots` are URLs that the crawl was widened to, beyond the options' own: where redirects of its seeds
    // led. Fails with `invalid_argument` where check(options) does.
    static Result<Scope> create(const CrawlOptions& options, std::span<const std::string> roots = {});

    Belongs check(const url::Url& url, int depth) const;

    // The same without the depth, which is all that differs between two pages with the same link.
    Belongs check(const url::Url& url) const;
    bool is_too_deep(int depth) const { return max_depth_ && depth > *max_depth_; }

    // Whether the URL is on one of the crawl's own hosts. With `external`, what other sites link to is
    // followed only back to these: the crawl goes one step out, not on through the web.
    bool is_at_home(const url::Url& url) const;
    bool is_seed(const url::Url& url) const;

private:
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    struct Place {
        std::uint16_t port = 0;              // 0: the scheme's own
        std::vector<std::string> folders{};  // sorted, none inside another: "/docs/"
    };
    enum class Where : std::uint8_t { in_folder, at_home, on_domain, elsewhere };

    Scope(PathFilter include, PathFilter exclude)
        : include_(std::move(include)), exclude_(std::move(exclude)) {}
    Result<void> add_root(const std::string& text);
    Where locate(const url::Url& url) const;
    Belongs judge(const url::Url& url) const;

    PathFilter include_, exclude_;
    bool regex_on_full_url_ = false, entire_domain_ = false, subdomains_ = false, external_ = false;
    std::optional<int> max_depth_;
    std::unordered_map<std::string, std::vector<Place>, TextHash, std::equal_to<>>
        places_;  // by host, without www.
    std::unordered_map<std::string, std::vector<std::uint16_t>, TextHash, std::equal_to<>>
        domains_;  // registrable, with the ports of their roots; empty unless subdomains belong
    std::unordered_set<std::string, TextHash, std::equal_to<>> seeds_;
};

}  // namespace quarry::crawl
