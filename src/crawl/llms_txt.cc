// llms.txt is markdown: a list of links, each with a title. This reads links and nothing else of markdown.
#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "crawl/sitemap.h"
#include "crawl/sitemap_builder.h"

namespace quarry::crawl {

namespace {

constexpr std::size_t max_title_bytes = 500;

// The location in "(location)", "(<location>)" or "(location "title")", and where the link ends.
struct Target {
    std::string_view location{};
    std::size_t end = 0;
};

// `text` begins behind the opening parenthesis. Parentheses inside a location come in pairs.
std::optional<Target> read_target(std::string_view text) {
    int open = 1;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        if (text[end] == '(') ++open;
        if (text[end] == ')' && --open == 0) break;
    }
    if (end == text.size()) return std::nullopt;
    std::string_view location = trimmed(text.substr(0, end));
    if (location.starts_with('<')) {
        location = location.substr(1, location.find('>') - 1);
    } else {
        location = location.substr(0, location.find_first_of(" \t"));
    }
    return Target{location, end + 1};
}

// Every "[title](location)" of one line, in order, but for pictures.
void add_links(std::string_view line, SitemapBuilder& builder) {
    while (!builder.is_full()) {
        const std::size_t middle = line.find("](");
        if (middle == std::string_view::npos) return;
        const std::size_t start = line.substr(0, middle).rfind('[');
        const auto target = read_target(line.substr(middle + 2));
        if (!target) return;
        const bool picture = start != std::string_view::npos && start > 0 && line[start - 1] == '!';
        if (start != std::string_view::npos && !picture && !target->location.empty() &&
            !target->location.starts_with('#')) {
            const std::string_view title = line.substr(start + 1, middle - start - 1);
            builder.add({.loc = std::string(target->location),
                         .title = std::string(title.substr(0, max_title_bytes))});
        }
        line.remove_prefix(middle + 2 + target->end);
    }
}

}  // namespace

Sitemap parse_llms_txt(std::string_view markdown, const url::Url& base) {
    SitemapBuilder builder(SitemapKind::llms_txt, base);
    if (markdown.size() > max_sitemap_bytes) builder.warn("the file is over 50 MB and was cut there");
    markdown = markdown.substr(0, max_sitemap_bytes);
    while (!markdown.empty() && !builder.is_full()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size() - 1);
        add_links(markdown.substr(0, end + 1), builder);
        markdown.remove_prefix(end + 1);
    }
    return builder.take();
}

}  // namespace quarry::crawl
