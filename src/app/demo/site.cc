#include "app/demo/site.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace quarry::app {
namespace {

constexpr DemoPage table[] = {
    {"Start", "/", "What quarry is"},
    {"Start", "/start/install", "Install"},
    {"Start", "/start/first-crawl", "Your first crawl"},
    {"Start", "/start/first-search", "Your first search"},
    {"Start", "/start/words", "Words used in this manual"},
    {"Crawling", "/crawl/scope", "Which pages belong to a crawl"},
    {"Crawling", "/crawl/limits", "Limits and depth"},
    {"Crawling", "/crawl/robots", "robots.txt"},
    {"Crawling", "/crawl/sitemaps", "Sitemaps and feeds"},
    {"Crawling", "/crawl/politeness", "Speed and politeness"},
    {"Crawling", "/crawl/credentials", "Sites behind a login"},
    {"Crawling", "/crawl/private-networks", "Private networks"},
    {"Crawling", "/crawl/pause", "Pause, resume, cancel"},
    {"Crawling", "/crawl/again", "Crawling a site again"},
    {"Crawling", "/crawl/schedules", "Schedules"},
    {"Pages", "/pages/main-content", "Main content"},
    {"Pages", "/pages/markdown", "Markdown"},
    {"Pages", "/pages/convert", "Converting local files"},
    {"Pages", "/pages/pdf", "PDF documents"},
    {"Pages", "/pages/export", "Getting pages out"},
    {"Searching", "/search/asking", "Asking well"},
    {"Searching", "/search/ranking", "How hits are ranked"},
    {"Searching", "/search/collections", "Collections"},
    {"Searching", "/search/chunks", "Chunks"},
    {"Searching", "/search/embedders", "Embedding services"},
    {"Searching", "/search/qdrant", "Qdrant"},
    {"Searching", "/search/import", "Importing documents"},
    {"Searching", "/search/watch", "Watching folders"},
    {"Searching", "/search/forget", "Forgetting pages"},
    {"Running", "/run/data-folder", "The data folder"},
    {"Running", "/run/workers", "Workers and the daemon"},
    {"Running", "/run/queue", "The queue"},
    {"Running", "/run/crashes", "Crashes and power cuts"},
    {"Running", "/run/retries", "Failures and retries"},
    {"Running", "/run/backup", "Backup and restore"},
    {"Running", "/run/doctor", "When something is wrong"},
    {"Reference", "/reference/commands", "Commands"},
    {"Reference", "/reference/settings", "Settings"},
    {"Reference", "/reference/exit-codes", "Exit codes and output"},
};

std::string_view file(std::string_view path) {
    const auto files = demo_files();
    const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
    // Both lists are part of the program: a page without words is a mistake that the first test meets.
    assert(found != files.end());
    return found == files.end() ? std::string_view() : found->content;
}

std::string_view words_of(const DemoPage& page) {
    return page.path == "/" ? file("index.html") : file(fmt::format("{}.html", page.path.substr(1)));
}

std::string sidebar(const DemoPage& current) {
    std::string html;
    std::string_view section;
    for (const DemoPage& page : table) {
        if (page.section != section)
            html += fmt::format("{}<h4>{}</h4>\n<ul>\n", section.empty() ? "" : "</ul>\n", page.section);
        section = page.section;
        html += fmt::format("<li{}><a href=\"{}\">{}</a></li>\n",
                            page.path == current.path ? " class=\"current\"" : "", page.path, page.title);
    }
    return html + "</ul>\n";
}

std::string link_to(const DemoPage* page, std::string_view side) {
    if (!page) return "";
    return fmt::format("<a class=\"{}\" href=\"{}\">{}</a>", side, page->path, page->title);
}

void fill(std::string& html, std::string_view mark, std::string_view value) {
    for (auto at = html.find(mark); at != std::string::npos; at = html.find(mark, at + value.size()))
        html.replace(at, mark.size(), value);
}

// The words come last: what they say is never taken for a mark.
std::string framed(std::span<const DemoPage> pages, std::size_t index) {
    const DemoPage& page = pages[index];
    std::string html(file("frame.html"));
    fill(html, "{{title}}", page.title);
    fill(html, "{{section}}", page.section);
    fill(html, "{{sidebar}}", sidebar(page));
    fill(html, "{{previous}}", link_to(index > 0 ? &pages[index - 1] : nullptr, "previous"));
    fill(html, "{{next}}", link_to(index + 1 < pages.size() ? &pages[index + 1] : nullptr, "next"));
    fill(html, "{{words}}", words_of(page));
    return html;
}

std::string sitemap(const std::string& origin) {
    std::string xml =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    for (const DemoPage& page : table)
        xml += fmt::format("  <url><loc>{}{}</loc></url>\n", origin, page.path);
    return xml + "</urlset>\n";
}

}  // namespace

std::span<const DemoPage> demo_pages() {
    return table;
}

DemoFiles demo_site(const std::string& origin) {
    DemoFiles files;
    const auto pages = demo_pages();
    for (std::size_t i = 0; i < pages.size(); ++i)
        files[std::string(pages[i].path)] = {"text/html; charset=utf-8", framed(pages, i)};
    files["/style.css"] = {"text/css; charset=utf-8", std::string(file("style.css"))};
    files["/sitemap.xml"] = {"application/xml", sitemap(origin)};
    files["/robots.txt"] = {
        "text/plain; charset=utf-8",
        fmt::format("User-agent: *\nDisallow: /drafts/\nSitemap: {}/sitemap.xml\n", origin)};
    return files;
}

}  // namespace quarry::app
