// The path state of the URL standard, working on the serialised path in place: a ".." shortens the string
// that is being written, so no list of segments is ever built.
#include "url/parser.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.h"
#include "url/host.h"
#include "url/percent.h"

namespace quarry::url {

// Where in a URL under construction the path begins, and by which rules it grows.
struct PathContext {
    std::size_t start = 0;
    SchemeKind scheme = SchemeKind::other;
};

// Appends the segments of `input`, the text behind the path's first slash (if it had one), to `href`,
// resolving
// "." and "..".
void append_path(std::string_view input, PathContext context, std::string& href);

// Removes the last segment, except a file URL's drive letter.
void shorten_path(PathContext context, std::string& href);

// "C:" or "C|" at the start of a path, followed by nothing or a slash.
bool starts_with_drive_letter(std::string_view path);

// Exactly "C:" or "C|".
bool is_drive_letter(std::string_view segment);

// The URL standard's basic parser, without its state machine: a URL falls apart at known characters, so each
// part is cut out whole and written, normalised, behind the last one. First the fragment and the query go (no
// earlier part may contain '#' or '?'), then the scheme decides which of the functions below reads the rest.

namespace {

std::unexpected<Error> invalid(const char* reason) {
    return fail(ErrorCode::invalid_argument, reason);
}

bool is_scheme_character(char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
}

// The position of the colon behind a scheme, or npos if the text does not begin with one.
std::size_t find_scheme_end(std::string_view text) {
    if (text.empty() || !is_ascii_letter(text[0])) return std::string_view::npos;
    const char* end = text.data() + 1;
    const char* const text_end = text.data() + text.size();
    while (end != text_end && is_scheme_character(*end)) ++end;
    const bool has_colon = end != text_end && *end == ':';
    return has_colon ? static_cast<std::size_t>(end - text.data()) : std::string_view::npos;
}

// The first colon that is not inside the brackets of an IPv6 address.
std::size_t find_port_colon(std::string_view host_and_port) {
    const std::size_t first = host_and_port.find(':');
    if (first == std::string_view::npos || !host_and_port.substr(0, first).contains('[')) return first;
    bool in_brackets = false;
    for (std::size_t i = 0; i < host_and_port.size(); ++i) {
        const char c = host_and_port[i];
        if (c == '[') in_brackets = true;
        if (c == ']') in_brackets = false;
        if (c == ':' && !in_brackets) return i;
    }
    return std::string_view::npos;
}

// Cuts `text` at the first `separator`; what follows it, if it is there at all.
std::optional<std::string_view> cut_tail(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view tail = text.substr(at + 1);
    text = text.substr(0, at);
    return tail;
}

// "/C:" of "/C:/x"; "" if the path names no drive.
std::string_view drive_of(std::string_view path) {
    const bool has_drive = path.size() >= 3 && path[2] == ':' && starts_with_drive_letter(path.substr(1));
    return has_drive ? path.substr(0, 3) : std::string_view{};
}

}  // namespace

class UrlParser {
public:
    // `input` is valid UTF-8 without tabs, line ends and edge spaces.
    UrlParser(std::string_view input, const Url* base) : rest_(input), base_(base) {
        fragment_ = cut_tail(rest_, '#');
        query_ = cut_tail(rest_, '?');
        href_.reserve(input.size() + (base != nullptr ? base->href_.size() : 0) + 8);
    }

    Result<Url> run() {
        const std::size_t colon = find_scheme_end(rest_);
        if (colon == std::string_view::npos) {
            TRY(parse_without_scheme());
        } else {
            TRY(parse_with_scheme(colon));
        }
        finish();
        return std::move(url_);
    }

private:
    bool is_slash(char c) const { return c == '/' || (c == '\\' && traits_.is_special()); }
    bool rest_has_slash(std::size_t at = 0) const { return rest_.size() > at && is_slash(rest_[at]); }
    // The position of the next slash in the rest, or the rest's size.
    std::size_t find_slash() const {
        const auto slash = std::ranges::find_if(rest_, [this](char c) { return is_slash(c); });
        return static_cast<std::size_t>(slash - rest_.begin());
    }
    PathContext path_context() const { return {url_.path_start_, traits_.kind}; }

    Result<void> parse_with_scheme(std::size_t colon) {
        href_ = rest_.substr(0, colon + 1);
        std::ranges::transform(href_, href_.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
        rest_.remove_prefix(colon + 1);
        begin_after_scheme();
        const bool same_scheme = base_ != nullptr && base_->scheme() == scheme();
        if (traits_.kind == SchemeKind::file) return parse_file(same_scheme ? base_ : nullptr);
        if (traits_.is_special()) {
            // "https:a" under an https base is relative; anywhere else it is "https://a".
            if (same_scheme && !rest_.starts_with("//")) return parse_relative();
            skip_slashes();
            return parse_authority();
        }
        if (rest_.starts_with("//")) {
            rest_.remove_prefix(2);
            return parse_authority();
        }
        if (rest_.starts_with('/')) {
            begin_path();
            append_path(rest_.substr(1), path_context(), href_);
            return {};
        }
        parse_opaque_path();
        return {};
    }

    Result<void> parse_without_scheme() {
        if (base_ == nullptr) return invalid("it has no scheme such as https://");
        if (base_->opaque_path_ && (!rest_.empty() || query_ || !fragment_)) {
            return invalid("it is relative to a URL that cannot have relative ones");
        }
        href_ = base_->href_.substr(0, base_->scheme_end_ + 1);
        begin_after_scheme();
        if (base_->opaque_path_) {
            url_.opaque_path_ = true;
            copy_base(base_->query_start_);
            inherit_query();
            return {};
        }
        if (traits_.kind == SchemeKind::file) return parse_file(base_);
        return parse_relative();
    }

    std::string_view scheme() const { return std::string_view(href_).substr(0, url_.scheme_end_); }

    void begin_after_scheme() {
        url_.scheme_end_ = static_cast<std::uint32_t>(href_.size() - 1);
        url_.username_end_ = url_.host_start_ = url_.host_end_ = url_.scheme_end_ + 1;
        traits_ = traits_of(scheme());
    }

    void begin_path() { url_.path_start_ = static_cast<std::uint32_t>(href_.size()); }

    void skip_slashes() {
        while (rest_has_slash()) rest_.remove_prefix(1);
    }

    // The base has the same scheme, a path that is not opaque, and is not a file URL.
    Result<void> parse_relative() {
        if (rest_has_slash(0) && rest_has_slash(1)) {
            if (traits_.is_special()) {
                skip_slashes();
            } else {
                rest_.remove_prefix(2);
            }
            return parse_authority();
        }
        if (rest_has_slash()) {
            copy_base(base_->authority_end());
            append_path(rest_.substr(1), path_context(), href_);
            return {};
        }
        parse_below_base(PathStart::folder_of_base);
        return {};
    }

    enum class PathStart { folder_of_base, root };

    // "", "?q" and "name" against the base; PathStart::root is for "C:/x" against a file URL.
    void parse_below_base(PathStart start) {
        if (rest_.empty()) {
            copy_base(base_->query_start_);
            inherit_query();
            return;
        }
        copy_base(start == PathStart::root ? base_->authority_end() : base_->query_start_);
        if (start == PathStart::folder_of_base) shorten_path(path_context(), href_);
        append_path(rest_, path_context(), href_);
    }

    void inherit_query() {
        if (!query_) query_ = base_->query();
    }

    // Takes the base's href up to `end`, which lies at or behind its authority, and the offsets in it.
    void copy_base(std::size_t end) {
        href_.assign(base_->href_, 0, base_->authority_end());
        url_.username_end_ = base_->username_end_;
        url_.host_start_ = base_->host_start_;
        url_.host_end_ = base_->host_end_;
        url_.port_ = base_->port_;
        begin_path();
        // The "/." that guards a path beginning with "//" is not copied; finish() puts it back where needed.
        if (end > base_->path_start_)
            href_.append(base_->href_, base_->path_start_, end - base_->path_start_);
    }

    // user:password@host:port, and the path behind it.
    Result<void> parse_authority() {
        const std::size_t end = find_slash();
        std::string_view authority = rest_.substr(0, end);
        rest_.remove_prefix(end);

        href_ += "//";
        url_.username_end_ = static_cast<std::uint32_t>(href_.size());
        if (authority.contains('@')) {
            const std::size_t at = authority.rfind('@');
            append_credentials(authority.substr(0, at));
            authority.remove_prefix(at + 1);
            if (authority.empty()) return invalid("there is no host behind the '@'");
        }
        TRY(parse_host_and_port(authority));
        begin_path();
        append_path_behind_host();
        return {};
    }

    void append_credentials(std::string_view credentials) {
        std::string_view username = credentials;
        const std::string_view password = cut_tail(username, ':').value_or("");
        append_encoded(username, EncodeSet::userinfo, href_);
        url_.username_end_ = static_cast<std::uint32_t>(href_.size());
        if (!password.empty()) {
            href_ += ':';
            append_encoded(password, EncodeSet::userinfo, href_);
        }
        if (!username.empty() || !password.empty()) href_ += '@';
    }

    Result<void> parse_host_and_port(std::string_view host) {
        const std::size_t colon = find_port_colon(host);
        std::string_view port;
        if (colon != std::string_view::npos) {
            port = host.substr(colon + 1);
            host = host.substr(0, colon);
        }
        if (host.empty() && (traits_.is_special() || colon != std::string_view::npos)) {
            return invalid("it has no host");
        }
        TRY(write_host(host));
        return write_port(port);
    }

    Result<void> write_host(std::string_view host) {
        url_.host_start_ = static_cast<std::uint32_t>(href_.size());
        if (!host.empty()) {
            TRY(append_host(host, traits_.is_special() ? HostRules::domain : HostRules::opaque, href_));
        }
        url_.host_end_ = static_cast<std::uint32_t>(href_.size());
        return {};
    }

    Result<void> write_port(std::string_view digits) {
        if (digits.empty()) return {};
        std::int32_t port = 0;
        for (const char c : digits) {
            if (!is_ascii_digit(c)) return invalid("the port is not a number");
            port = port * 10 + (c - '0');
            if (port > 65535) return invalid("the port is above 65535");
        }
        if (traits_.default_port != 0 && port == traits_.default_port) return {};
        url_.port_ = port;
        fmt::format_to(std::back_inserter(href_), ":{}", port);
        return {};
    }

    // Special URLs always have a path; others may end behind the host.
    void append_path_behind_host() {
        if (rest_.empty() && !traits_.is_special()) return;
        if (rest_has_slash()) rest_.remove_prefix(1);
        append_path(rest_, path_context(), href_);
    }

    Result<void> parse_file(const Url* base) {
        base_ = base;
        if (rest_has_slash(0) && rest_has_slash(1)) {
            rest_.remove_prefix(2);
            return parse_file_host();
        }
        if (rest_has_slash()) {
            rest_.remove_prefix(1);
            begin_file_root();
            append_path(rest_, path_context(), href_);
            return {};
        }
        if (base_ != nullptr) {
            parse_below_base(starts_with_drive_letter(rest_) ? PathStart::root : PathStart::folder_of_base);
            return {};
        }
        begin_empty_file_host();
        append_path(rest_, path_context(), href_);
        return {};
    }

    // "/x" against a file URL stays on its host, and on its drive unless it names another.
    void begin_file_root() {
        if (base_ == nullptr) return begin_empty_file_host();
        copy_base(base_->authority_end());
        if (!starts_with_drive_letter(rest_)) href_ += drive_of(base_->path());
    }

    void begin_empty_file_host() {
        href_ += "//";
        url_.username_end_ = url_.host_start_ = url_.host_end_ = static_cast<std::uint32_t>(href_.size());
        begin_path();
    }

    Result<void> parse_file_host() {
        const std::size_t end = find_slash();
        const std::string_view host = rest_.substr(0, end);
        begin_empty_file_host();
        if (is_drive_letter(host)) {  // "file://C:/x": the drive is the path's, not a host
            append_path(rest_, path_context(), href_);
            return {};
        }
        rest_.remove_prefix(end);
        TRY(write_host(host));
        if (std::string_view(href_).substr(url_.host_start_) == "localhost") {
            href_.resize(url_.host_start_);
            url_.host_end_ = url_.host_start_;
        }
        begin_path();
        append_path_behind_host();
        return {};
    }

    // The space before a '?' or '#' is encoded, so that cutting those off later cannot leave a space at the
    // end, which parsing again would trim.
    void parse_opaque_path() {
        url_.opaque_path_ = true;
        begin_path();
        const bool guard = rest_.ends_with(' ') && (query_ || fragment_);
        if (guard) rest_.remove_suffix(1);
        append_encoded(rest_, EncodeSet::control, href_);
        if (guard) href_ += "%20";
    }

    void finish() {
        guard_double_slash();
        url_.query_start_ = static_cast<std::uint32_t>(href_.size());
        if (query_) {
            href_ += '?';
            append_encoded(*query_, traits_.is_special() ? EncodeSet::special_query : EncodeSet::query,
                           href_);
        }
        url_.fragment_start_ = static_cast<std::uint32_t>(href_.size());
        if (fragment_) {
            href_ += '#';
            append_encoded(*fragment_, EncodeSet::fragment, href_);
        }
        url_.href_ = std::move(href_);
    }

    // Behind no host a path such as "//a" would be read as a host the next time.
    void guard_double_slash() {
        const bool hostless = url_.host_start_ == url_.scheme_end_ + 1;
        if (!hostless || url_.opaque_path_) return;
        if (!std::string_view(href_).substr(url_.path_start_).starts_with("//")) return;
        href_.insert(url_.path_start_, "/.");
        url_.path_start_ += 2;
    }

    std::string_view rest_;  // what is not read yet, up to the query
    std::optional<std::string_view> query_, fragment_;
    const Url* base_;
    SchemeTraits traits_;
    std::string href_;  // what is written so far
    Url url_;
};

Result<Url> parse_clean(std::string_view input, const Url* base) {
    return UrlParser(input, base).run();
}

namespace {

// How many dots the segment consists of ("%2e" is a dot too), or 0 if it has anything else or over two.
int dots_in(std::string_view segment) {
    if (segment.empty() || segment.size() > 6) return 0;
    int dots = 0;
    while (!segment.empty()) {
        if (segment[0] == '.') {
            segment.remove_prefix(1);
        } else if (segment.size() >= 3 && segment[0] == '%' && segment[1] == '2' &&
                   (segment[2] | 0x20) == 'e') {
            segment.remove_prefix(3);
        } else {
            return 0;
        }
        ++dots;
    }
    return dots <= 2 ? dots : 0;
}

void append_segment(std::string_view segment, PathContext context, std::string& href) {
    const bool first = href.size() == context.start;
    href += '/';
    if (context.scheme == SchemeKind::file && first && is_drive_letter(segment)) {
        href += segment[0];
        href += ':';
        return;
    }
    append_encoded(segment, EncodeSet::path, href);
}

std::size_t segment_end(std::string_view input, SchemeKind scheme) {
    const char other_slash = scheme == SchemeKind::other ? '/' : '\\';
    const auto end = std::ranges::find_if(input, [&](char c) { return c == '/' || c == other_slash; });
    return static_cast<std::size_t>(end - input.begin());
}

}  // namespace

void append_path(std::string_view input, PathContext context, std::string& href) {
    while (true) {
        const std::size_t end = segment_end(input, context.scheme);
        const bool last = end == input.size();
        const std::string_view segment = input.substr(0, end);
        const int dots = dots_in(segment);
        if (dots == 2) shorten_path(context, href);
        if (dots == 0) {
            append_segment(segment, context, href);
        } else if (last) {
            href += '/';  // "a/." and "a/b/.." name the folder: "a/"
        }
        if (last) return;
        input.remove_prefix(end + 1);
    }
}

void shorten_path(PathContext context, std::string& href) {
    const std::string_view path = std::string_view(href).substr(context.start);
    if (path.empty()) return;
    const bool lone_drive = path.size() == 3 && is_drive_letter(path.substr(1)) && path[2] == ':';
    if (context.scheme == SchemeKind::file && lone_drive) return;
    href.resize(context.start + path.rfind('/'));
}

bool starts_with_drive_letter(std::string_view path) {
    return is_drive_letter(path.substr(0, 2)) && (path.size() == 2 || path[2] == '/' || path[2] == '\\');
}

bool is_drive_letter(std::string_view segment) {
    return segment.size() == 2 && is_ascii_letter(segment[0]) && (segment[1] == ':' || segment[1] == '|');
}

}  // namespace quarry::url
