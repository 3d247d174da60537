// The site of `quarry demo`: quarry's own manual as a documentation generator would put it on the web, with
// navigation, a sidebar and a footer around every page, robots.txt and a sitemap.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/demo/server.h"
#include "base/embedded_file.h"

namespace quarry::app {

// What src/demo holds: frame.html, style.css, and the words of each page.
std::span<const EmbeddedFile> demo_files();

struct DemoPage {
    std::string_view section;  // "Crawling"
    std::string_view path;     // "/crawl/scope"; the words are in crawl/scope.html
    std::string_view title;
};

// All pages, in the order of the sidebar.
std::span<const DemoPage> demo_pages();

// Everything that is served at `origin`, "http://127.0.0.1:40123".
DemoFiles demo_site(const std::string& origin);

}  // namespace quarry::app
