#include "crawl/url_identity.h"

#include <algorithm>
#include <array>

#define XXH_INLINE_ALL
#include <boost/json.hpp>
#include <xxhash.h>

#include "base/ascii.h"
#include "crawl/options/json.h"
#include "url/canonical.h"

namespace quarry::crawl {

namespace {

constexpr std::array<std::string_view, 5> index_names{"index.html", "index.htm", "index.php", "default.aspx",
                                                      "Default.aspx"};

// Nobody names anything else like this.
constexpr std::array<std::string_view, 7> session_names{"phpsessid", "jsessionid", "aspsessionid", "cfid",
                                                        "cftoken",   "zenid",      "oscsid"};
constexpr std::array<std::string_view, 5> perhaps_session_names{"sid", "session", "sessionid", "session_id",
                                                                "sessid"};
constexpr std::size_t shortest_session_id = 16;

// What of a URL a server looks at. Views into the URL, or into its canonical form.
struct Parts {
    std::string_view path, query;
};

bool looks_random(std::string_view value) {
    const auto letter_or_digit = [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '-'; };
    return value.size() >= shortest_session_id && std::ranges::any_of(value, is_ascii_digit) &&
           std::ranges::all_of(value, letter_or_digit);
}

// Servlets put the session into the path: "/cart;jsessionid=0A1B".
std::size_t end_of_path_session(std::string_view path, std::size_t at) {
    constexpr std::string_view name = ";jsessionid=";
    if (!equals_ignore_case(path.substr(at, name.size()), name)) return at;
    return std::min(path.find_first_of("/;", at + 1), path.size());
}

// Copies the path with single slashes and without sessions.
void append_tidied(std::string_view path, std::string& form) {
    const std::size_t start = form.size();
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = path[at] == ';' ? end_of_path_session(path, at) : at;
        if (end > at) {
            at = end;
            continue;
        }
        if (path[at] != '/' || form.size() == start || form.back() != '/') form += path[at];
        ++at;
    }
}

void append_folded_path(std::string_view path, std::string& form) {
    const bool tidy = path.find("//") == std::string_view::npos && path.find(';') == std::string_view::npos;
    if (tidy)
        form += path;
    else
        append_tidied(path, form);
    const std::size_t last = form.rfind('/');
    if (std::ranges::find(index_names, std::string_view(form).substr(last + 1)) != index_names.end())
        form.resize(last + 1);
    if (form.back() == '/') form.pop_back();
}

// The parameters that matter, in their order. Leaves no '?' behind if there are none.
void append_query(std::string_view query, const IdentityRules& rules, std::string& form) {
    const std::size_t start = form.size();
    char separator = '?';
    while (true) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view parameter = query.substr(0, end);
        const std::size_t equals = std::min(parameter.find('='), parameter.size());
        const std::string_view name = parameter.substr(0, equals);
        const std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
        const bool dropped =
            url::is_tracking_parameter(name) || (rules.fold_similar && is_session_parameter(name, value));
        if (!dropped) {
            form += separator;
            form += parameter;
            separator = '&';
        }
        if (end == query.size()) break;
        query.remove_prefix(end + 1);
    }
    if (form.size() == start + 1) form.pop_back();
}

void append_host(const url::Url& url, const IdentityRules& rules, std::string& form) {
    if (!rules.fold_similar) {
        form += url.scheme();
        form += ':';
    }
    form += "//";
    form += rules.fold_similar ? without_www(url.host()) : url.host();
    if (const auto port = url.port()) {
        form += ':';
        form += std::to_string(*port);
    }
}

// Percent-encoding has to be written one way before it is compared. Few URLs have any.
Parts parts_of(const url::Url& url, std::string& canonical) {
    const std::string_view path = url.path(), query = url.query().value_or("");
    if (path.find('%') == std::string_view::npos && query.find('%') == std::string_view::npos)
        return {path, query};
    canonical = url::canonical(url);
    std::string_view rest = canonical;
    rest = rest.substr(0, rest.find('#'));
    rest.remove_prefix(std::min(rest.find('/', rest.find("//") + 2), rest.size()));
    const std::size_t mark = std::min(rest.find('?'), rest.size());
    return {rest.substr(0, mark), rest.substr(std::min(mark + 1, rest.size()))};
}

UrlKey hashed(std::string_view form, std::uint64_t reading = 0) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(form.data(), form.size(), reading);
    return {hash.high64, hash.low64};
}

// What makes two readings of a page differ: not which of its forms are kept, but what they are made of, and
// who the server was told is asking. 0 for the plain one.
std::uint64_t reading_of(const CrawlOptions& options) {
    std::string form;
    const auto add = [&](char kind, std::string_view text) {
        (form += kind) += std::to_string(text.size()) += ':';
        form += text;
    };
    if (options.full_page) add('f', "");
    for (const std::string& tag : options.include_tags) add('i', tag);
    for (const std::string& tag : options.exclude_tags) add('e', tag);
    for (const AttributeWish& wish : options.attributes) {
        add('s', wish.selector);
        add('a', wish.attribute);
    }
    for (const Header& header : options.headers) {
        add('h', header.name);
        add('v', header.value);
    }
    if (!options.change_tag.empty()) add('t', options.change_tag);
    if (options.render == Rendering::always) {
        boost::json::object browsing;
        write_browsing(options, browsing);
        add('b', boost::json::serialize(browsing));
    }
    return form.empty() ? 0 : XXH3_64bits(form.data(), form.size());
}

}  // namespace

IdentityRules identity_rules(const CrawlOptions& options) {
    return {.ignore_query = options.ignore_query_parameters,
            .fold_similar = options.deduplicate_similar_urls,
            .reading = options.kind == "crawl" ? 0 : reading_of(options)};
}

std::string_view without_www(std::string_view host) {
    constexpr std::string_view prefix = "www.";
    if (!host.starts_with(prefix)) return host;
    const std::string_view rest = host.substr(prefix.size());
    return rest.find('.') == std::string_view::npos ? host : rest;
}

bool is_session_parameter(std::string_view name, std::string_view value) {
    const auto same = [&](std::string_view known) { return equals_ignore_case(known, name); };
    if (std::ranges::any_of(session_names, same)) return true;
    // ASP appends letters of its own: ASPSESSIONIDQQBBRTDA.
    constexpr std::string_view asp = "aspsessionid";
    if (equals_ignore_case(name.substr(0, asp.size()), asp)) return true;
    return looks_random(value) && std::ranges::any_of(perhaps_session_names, same);
}

UrlKey url_key(const url::Url& url, const IdentityRules& rules) {
    if (!url.is_http()) return hashed(url.without_fragment());
    thread_local std::string form, canonical;  // kept for their memory
    form.clear();
    const Parts parts = parts_of(url, canonical);
    append_host(url, rules, form);
    if (rules.fold_similar)
        append_folded_path(parts.path, form);
    else
        form += parts.path;
    if (!rules.ignore_query && !parts.query.empty()) append_query(parts.query, rules, form);
    return hashed(form, rules.reading);
}

UrlKey document_key(std::string_view url) {
    const XXH128_hash_t hash = XXH3_128bits(url.data(), url.size());
    return {.high = hash.high64, .low = hash.low64};
}

std::string kept_url(const url::Url& url) {
    if (url.username().empty() && url.password().empty()) return url.without_fragment();
    const std::string bare = url.without_credentials();
    return bare.substr(0, bare.find('#'));
}

std::string host_key(const url::Url& url) {
    std::string key(url.host());
    if (const auto port = url.port()) (key += ':') += std::to_string(*port);
    return key;
}

}  // namespace quarry::crawl
