// For tests of crawls: a scripted server, a store in a folder of its own, and an engine between them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/engine.h"
#include "servers/hostile_server.h"
#include "servers/temporary_folder.h"
#include "store/sqlite/store.h"
#include "work/jobs/crawl_jobs.h"

namespace quarry::work {

class CrawlSite {
public:
    test::HostileServer server;

    void page(const std::string& path, const std::string& body, int status = 200,
              std::vector<Header> headers = {}) {
        headers.push_back({"Content-Type", "text/html"});
        server.on(path, [=](const test::ServerRequest&, test::Connection& connection) {
            connection.respond(status, headers, body);
        });
    }
    // A page of words, with links to these paths.
    void linked(const std::string& path, const std::vector<std::string>& links) {
        std::string body = "<title>" + path + "</title><main><p>These are the words of the page at " + path +
                           ", and there are some more of them here.</p>";
        for (const std::string& link : links) body += "<p><a href=\"" + link + "\">to " + link + "</a></p>";
        page(path, body + "</main>");
    }

    crawl::CrawlOptions options(const std::string& path = "/") const {
        crawl::CrawlOptions options{.urls = {server.url(path)}};
        options.allow_private = true;
        options.sitemap = crawl::SitemapUse::skip;
        options.max_concurrency = 8;
        return options;
    }

    // Crawls until nothing is left.
    GroupId crawl(const crawl::CrawlOptions& options) {
        const GroupId id = start_crawl(*store, options).value();
        REQUIRE(run());
        return id;
    }
    Result<void> run(const RunUntil& until = {.drained = true}, std::stop_token stop = {}) {
        Engine engine(*store, fetcher, config());
        return engine.run(until, stop);
    }
    EngineConfig config() const {
        return {.name = "test", .open_reader = [this] { return store::open_sqlite_reader(path()); }};
    }

    std::string path() const { return folder.file("quarry.db"); }
    std::unique_ptr<store::Reader> reader() const { return store::open_sqlite_reader(path()).value(); }
    Group group(GroupId id) const { return reader()->group(id).value(); }

    // The URLs of a crawl by path: "completed 200", "skipped robots", "failed HTTP 404 Not Found".
    std::map<std::string, std::string> urls(GroupId id) const {
        std::map<std::string, std::string> result;
        const auto all = reader()->urls({.group = id, .limit = 10'000});
        for (const FrontierUrl& url : all.value()) {
            std::string text(name_of(url.state));
            if (url.state == UrlState::completed) text += " " + std::to_string(url.status);
            if (url.state == UrlState::skipped) text += " " + std::string(name_of(url.skipped));
            if (url.state == UrlState::failed) text += " " + url.note;
            const std::string origin = server.url("");
            const bool is_ours = url.url.starts_with(origin);
            result[is_ours ? url.url.substr(origin.size()) : url.url] = text;
        }
        return result;
    }
    std::vector<StoredPage> pages(std::optional<GroupId> id = {}) const {
        return reader()->pages({.group = id, .limit = 10'000, .with_content = true}).value().pages;
    }

    test::TemporaryFolder folder;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    fetch::Fetcher fetcher{*client, {}};
    std::unique_ptr<store::Store> store = store::open_sqlite_store({.path = path()}).value();
};

}  // namespace quarry::work
