#include "engine/engine.h"

#include <algorithm>
#include <atomic>
#include <semaphore>
#include <thread>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/crawl_site_test.h"
#include "work/jobs/crawl_jobs.h"

using namespace quarry;
using namespace quarry::work;

using Urls = std::map<std::string, std::string>;

TEST_CASE_FIXTURE(CrawlSite, "a crawl brings every page that links lead to, each once") {
    linked("/", {"/a", "/b", "/a#part", "/a?utm_source=mail"});
    linked("/a", {"/", "/b", "/c"});
    linked("/b", {"/a"});
    linked("/c", {});

    const GroupId id = crawl(options());

    CHECK(urls(id) == Urls{{"/", "completed 200"},
                           {"/a", "completed 200"},
                           {"/b", "completed 200"},
                           {"/c", "completed 200"}});
    for (const char* path : {"/", "/a", "/b", "/c"}) CHECK(server.count_requests(path) == 1);
    const Group crawl = group(id);
    CHECK(crawl.state == JobState::completed);
    CHECK(crawl.counters.completed == 4);
    CHECK(crawl.counters.queued == 0);
    CHECK(crawl.counters.running == 0);
    REQUIRE(pages(id).size() == 4);
    CHECK(pages(id)[0].content->markdown.find("words of the page at /") != std::string::npos);
}

TEST_CASE_FIXTURE(CrawlSite,
                  "a page that is 'not modified' though nothing is stored fails, and the crawl ends") {
    page("/", "", 304);

    const GroupId id = crawl(options());

    CHECK(urls(id) ==
          Urls{{"/", "failed the server says that the page has not changed, but none is stored"}});
    CHECK(server.count_requests("/") == 1);
    CHECK(group(id).state == JobState::completed);
}

TEST_CASE_FIXTURE(CrawlSite, "a redirect's target is fetched once, whoever leads there") {
    linked("/", {"/old", "/older", "/new"});
    page("/old", "", 301, {{"Location", "/new"}});
    page("/older", "", 302, {{"Location", "/old"}});
    linked("/new", {});

    const GroupId id = crawl(options());

    CHECK(urls(id) == Urls{{"/", "completed 200"},
                           {"/new", "completed 200"},
                           {"/old", "skipped redirect"},
                           {"/older", "skipped redirect"}});
    CHECK(server.count_requests("/new") == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "a redirect of the start page widens the crawl to where it leads") {
    page("/docs/", "", 302, {{"Location", "/manual/"}});
    linked("/manual/", {"/manual/a", "/elsewhere"});
    linked("/manual/a", {});
    linked("/elsewhere", {});

    const GroupId id = crawl(options("/docs/"));

    CHECK(urls(id) == Urls{{"/docs/", "skipped redirect"},
                           {"/manual/", "completed 200"},
                           {"/manual/a", "completed 200"}});
}

TEST_CASE_FIXTURE(CrawlSite, "a page that names another as canonical is not kept beside it") {
    linked("/", {"/a?view=print", "/a"});
    page("/a", "<link rel=canonical href=/a><p>The same words in both pages, word for word.</p>");
    page("/a?view=print", "<link rel=canonical href=/a><p>The same words in both pages, word for word.</p>");

    const GroupId id = crawl(options());

    CHECK(group(id).counters.completed == 2);
    CHECK(group(id).counters.skipped == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "robots.txt is obeyed, and what it forbids is listed") {
    server.on("/robots.txt", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "text/plain"}}, "User-agent: *\nDisallow: /private\n");
    });
    linked("/", {"/private/x", "/open"});
    linked("/open", {});
    linked("/private/x", {});

    const GroupId obedient = crawl(options());
    CHECK(urls(obedient)["/private/x"] == "skipped robots");
    CHECK(server.count_requests("/private/x") == 0);

    crawl::CrawlOptions careless = options();
    careless.ignore_robots = true;
    CHECK(urls(crawl(careless))["/private/x"] == "completed 200");
}

TEST_CASE_FIXTURE(CrawlSite, "a page that fails is visible with its reason, and stops nothing") {
    linked("/", {"/missing", "/forbidden", "/fine"});
    page("/forbidden", "no", 403);
    linked("/fine", {});

    const GroupId id = crawl(options());

    CHECK(urls(id)["/missing"] == "failed HTTP 404 Not Found");
    CHECK(urls(id)["/forbidden"] == "failed HTTP 403 Forbidden");
    CHECK(urls(id)["/fine"] == "completed 200");
    CHECK(group(id).state == JobState::completed);
    CHECK(group(id).counters.failed == 2);
    CHECK(group(id).counters.gone == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "no more pages than the limit are fetched") {
    std::vector<std::string> links;
    for (int i = 0; i < 50; ++i) links.push_back("/p" + std::to_string(i));
    linked("/", links);
    for (const std::string& link : links) linked(link, {});
    crawl::CrawlOptions limited = options();
    limited.limit = 7;

    const GroupId id = crawl(limited);

    CHECK(group(id).state == JobState::completed);
    CHECK(group(id).counters.completed == 7);
    CHECK(pages(id).size() == 7);
}

TEST_CASE_FIXTURE(CrawlSite, "depth counts links from the start") {
    linked("/", {"/1"});
    linked("/1", {"/2"});
    linked("/2", {"/3"});
    linked("/3", {});
    crawl::CrawlOptions shallow = options();
    shallow.max_depth = 1;

    CHECK(urls(crawl(shallow)) == Urls{{"/", "completed 200"}, {"/1", "completed 200"}});
}

TEST_CASE_FIXTURE(CrawlSite, "pages that only the sitemap knows are fetched") {
    linked("/", {});
    linked("/hidden", {});
    server.on("/sitemap.xml", [this](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "application/xml"}},
                           "<urlset><url><loc>" + server.url("/hidden") + "</loc></url></urlset>");
    });
    crawl::CrawlOptions with_sitemap = options();
    with_sitemap.sitemap = crawl::SitemapUse::include;

    CHECK(urls(crawl(with_sitemap)) == Urls{{"/", "completed 200"}, {"/hidden", "completed 200"}});
}

TEST_CASE_FIXTURE(CrawlSite, "nofollow and noindex are honoured") {
    page("/", "<p>Start of the site, with a few words.</p><a href=/a>a</a><a rel=nofollow href=/b>b</a>");
    page("/a", "<meta name=robots content=noindex><p>Words.</p><a href=/c>c</a>");
    page("/c", "<meta name=robots content=nofollow><p>Words again.</p><a href=/d>d</a>");

    CHECK(urls(crawl(options())) ==
          Urls{{"/", "completed 200"}, {"/a", "skipped noindex"}, {"/c", "completed 200"}});
}

TEST_CASE_FIXTURE(CrawlSite, "a crawl in which most pages fail stops and says why") {
    std::vector<std::string> links;
    for (int i = 0; i < 200; ++i) links.push_back("/p" + std::to_string(i));
    linked("/", links);
    for (const std::string& link : links) page(link, "no", 403);
    crawl::CrawlOptions careful = options();
    careful.max_concurrency = 2;

    const GroupId stopped = crawl(careful);
    CHECK(group(stopped).state == JobState::failed);
    CHECK(group(stopped).error.find("403") != std::string::npos);
    CHECK(server.count_requests("/p199") == 0);

    careful.go_on = true;
    CHECK(group(crawl(careful)).counters.failed == 200);
}

TEST_CASE_FIXTURE(CrawlSite, "a second crawl asks whether pages have changed, and keeps what has not") {
    linked("/", {"/same", "/edited"});
    server.on("/same", [](const test::ServerRequest& request, test::Connection& connection) {
        if (header_value(request.headers, "if-none-match") == "\"v1\"") {
            connection.respond(304, {{"ETag", "\"v1\""}}, "");
            return;
        }
        connection.respond(200, {{"Content-Type", "text/html"}, {"ETag", "\"v1\""}},
                           "<p>Words that stay as they are for ever.</p><a href=/behind>behind</a>");
    });
    linked("/edited", {});
    linked("/behind", {});
    crawl(options());
    page("/edited", "<title>Edited</title><p>Other words than there were before.</p>");

    const GroupId second = crawl(options());

    CHECK(urls(second)["/same"] == "completed 304");
    CHECK(urls(second)["/behind"] == "completed 200");  // found through the links that were stored
    CHECK(group(second).counters.completed == 4);
    CHECK(group(second).counters.unchanged == 3);
    for (const StoredPage& stored : pages(second)) CHECK_FALSE(stored.content->markdown.empty());
}

TEST_CASE_FIXTURE(CrawlSite, "a page that has not changed leads where it led before, and no further") {
    server.on("/", [](const test::ServerRequest& request, test::Connection& connection) {
        const bool is_known = !header_value(request.headers, "if-none-match").empty();
        connection.respond(is_known ? 304 : 200, {{"Content-Type", "text/html"}, {"ETag", "\"v1\""}},
                           is_known ? ""
                                    : "<p>Words that stay.</p><a href=/a>a</a><a rel=nofollow href=/b>b</a>"
                                      "<iframe src=/framed></iframe>");
    });
    linked("/a", {});
    linked("/framed", {});
    crawl(options());

    CHECK(urls(crawl(options())) ==
          Urls{{"/", "completed 304"}, {"/a", "completed 200"}, {"/framed", "completed 200"}});
}

TEST_CASE_FIXTURE(CrawlSite, "a page that is gone is removed at once, an undiscovered one after two crawls") {
    linked("/", {"/gone", "/orphan", "/stays"});
    for (const char* path : {"/gone", "/orphan", "/stays"}) linked(path, {});
    crawl(options());
    REQUIRE(pages().size() == 4);

    linked("/", {"/gone", "/stays"});
    page("/gone", "no more", 410);
    crawl(options());
    CHECK(pages().size() == 3);

    linked("/", {"/stays"});
    const GroupId third = crawl(options());
    CHECK(pages().size() == 2);
    CHECK(group(third).counters.removed == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "a crawl that was stopped goes on where it was") {
    std::vector<std::string> links;
    for (int i = 0; i < 40; ++i) links.push_back("/p" + std::to_string(i));
    linked("/", links);
    // All but a few pages wait at a gate, so that the crawl cannot end before it is stopped.
    std::atomic<bool> open = false;
    for (int i = 0; i < 40; ++i) {
        server.on(links.at(i), [&, i](const test::ServerRequest&, test::Connection& connection) {
            if (i >= 10) open.wait(false);
            connection.respond(200, {{"Content-Type", "text/html"}}, "<p>Words of page " + std::to_string(i));
        });
    }
    const GroupId id = start_crawl(*store, options()).value();
    const RunUntil a_few{.enough = [&] {
        if (group(id).counters.completed < 5) return false;
        open = true;
        open.notify_all();
        return true;
    }};
    REQUIRE(run(a_few));
    CHECK(group(id).state == JobState::running);
    CHECK(group(id).counters.running == 0);

    REQUIRE(run());

    CHECK(group(id).state == JobState::completed);
    CHECK(group(id).counters.completed == 41);
    for (const std::string& link : links) CHECK(server.count_requests(link) == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "an engine that is stopped gives back the jobs that have not begun") {
    linked("/", {});
    std::string index = "<sitemapindex>";
    for (int i = 0; i < 4; ++i)
        index += "<sitemap><loc>" + server.url(fmt::format("/map{}.xml", i)) + "</loc></sitemap>";
    server.on("/robots.txt", [&](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {}, "Sitemap: " + server.url("/index.xml") + "\n");
    });
    server.on("/index.xml", [&](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "application/xml"}}, index + "</sitemapindex>");
    });
    // Two threads read the sitemaps, and wait at a gate while the engine is stopped.
    std::atomic<bool> open = false;
    for (int i = 0; i < 4; ++i) {
        server.on(fmt::format("/map{}.xml", i),
                  [&](const test::ServerRequest&, test::Connection& connection) {
                      open.wait(false);
                      connection.respond(200, {{"Content-Type", "application/xml"}}, "<urlset></urlset>");
                  });
    }
    const auto asked = [&] {
        int count = 0;
        for (int i = 0; i < 4; ++i)
            count += static_cast<int>(server.count_requests(fmt::format("/map{}.xml", i)));
        return count;
    };
    const auto leased = [&] {
        const auto jobs = reader()->jobs(
            {.filter = {.kind = std::string(read_sitemap_kind), .states = {JobState::running}}});
        return jobs.value().size();
    };
    crawl::CrawlOptions with_sitemaps = options();
    with_sitemaps.sitemap = crawl::SitemapUse::include;
    const GroupId id = start_crawl(*store, with_sitemaps).value();

    std::stop_source stop;
    const auto wait_until = [](const auto& is_so) {
        for (int looks = 0; !is_so() && looks < 500; ++looks)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    std::jthread gatekeeper([&] {
        wait_until([&] { return asked() == 2 && leased() == 4; });
        stop.request_stop();
        // The two that have not begun are free again while the others are still under way.
        wait_until([&] { return leased() == 2; });
        open = true;
        open.notify_all();
    });
    REQUIRE(run({}, stop.get_token()));
    gatekeeper.join();

    CHECK(asked() == 2);
    REQUIRE(run());
    CHECK(asked() == 4);
    CHECK(group(id).state == JobState::completed);
}

TEST_CASE_FIXTURE(CrawlSite, "a crawl that is over slows no other down") {
    linked("/slow", {"/a", "/b"});
    linked("/a", {"/c"});
    for (const char* path : {"/b", "/c"}) linked(path, {});
    crawl::CrawlOptions patient = options("/slow");
    patient.delay = std::chrono::hours(1);
    const GroupId slow = start_crawl(*store, patient).value();
    std::optional<GroupId> quick;

    // The first one is cancelled between its first page and its second, which would be an hour later.
    const auto enough = [&] {
        if (!quick && group(slow).counters.completed == 1) {
            (void)store->cancel(slow);
            quick = start_crawl(*store, options("/a")).value();
        }
        return quick && group(*quick).is_over();
    };
    REQUIRE(run({.enough = enough}));

    CHECK(group(*quick).counters.completed >= 1);
    CHECK(server.count_requests("/b") == 0);
}

TEST_CASE_FIXTURE(CrawlSite, "a crawl that asked for a long delay holds up no other crawl of its host") {
    std::vector<std::string> links;
    for (int number = 0; number < 200; ++number) links.push_back("/slow/" + std::to_string(number));
    linked("/slow", links);
    server.on("/slow/*", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "text/html"}}, "<p>Words of a slow page.</p>");
    });
    linked("/a", {"/b"});
    linked("/b", {});
    crawl::CrawlOptions patient = options("/slow");
    patient.delay = std::chrono::hours(1);
    patient.owner = "ann";
    const GroupId slow = start_crawl(*store, patient).value();
    std::optional<GroupId> quick;

    // The slow one has its next pages in line by then.
    const auto enough = [&] {
        if (!quick && group(slow).counters.running > 0 && group(slow).counters.completed == 1) {
            crawl::CrawlOptions other = options("/a");
            other.owner = "bob";
            other.entire_domain = true;
            quick = start_crawl(*store, other).value();
        }
        return quick && group(*quick).is_over();
    };
    REQUIRE(run({.enough = enough}));

    CHECK(group(*quick).counters.completed == 2);
    CHECK(group(slow).counters.completed == 1);
    CHECK(server.requests().size() < 10);
}

TEST_CASE_FIXTURE(CrawlSite, "pages of one owner that are dropped do not open the circuit for another") {
    server.on("/dropped/*",
              [](const test::ServerRequest&, test::Connection& connection) { connection.reset(); });
    linked("/a", {});
    crawl::CrawlOptions dropped = options("/dropped/0");
    dropped.kind = "batch_scrape";
    dropped.list_only_seeds = true;
    dropped.owner = "ann";
    dropped.urls.clear();
    for (int number = 0; number < 8; ++number)
        dropped.urls.push_back(server.url("/dropped/" + std::to_string(number)));
    const GroupId first = start_crawl(*store, dropped).value();
    std::optional<GroupId> other;

    const auto enough = [&] {
        std::size_t tried = 0;
        for (int number = 0; number < 8; ++number)
            tried += server.count_requests("/dropped/" + std::to_string(number));
        if (!other && tried >= 5) {  // more may not be tried before the circuit opens
            crawl::CrawlOptions well = options("/a");
            well.owner = "bob";
            other = start_crawl(*store, well).value();
        }
        return other && group(*other).is_over();
    };
    REQUIRE(run({.enough = enough}));

    CHECK(group(*other).counters.completed == 1);
    const FrontierUrl url = reader()->urls({.group = *other}).value().at(0);
    CHECK(url.attempts == 0);  // none of them failed
    CHECK_FALSE(group(first).is_over());
}

TEST_CASE_FIXTURE(CrawlSite, "what a server says with an error is kept where that is asked for") {
    page("/gone", "<p>This page has left us, with all that was on it.</p>", 404);
    page("/broken", "<p>Something is wrong here, and we are sorry.</p>", 500);
    crawl::CrawlOptions named = options("/gone");
    named.kind = "batch_scrape";
    named.list_only_seeds = named.keep_errors = true;

    const GroupId id = crawl(named);

    REQUIRE(pages(id).size() == 1);
    CHECK(pages(id)[0].facts.status == 404);
    CHECK(pages(id)[0].content->markdown.find("has left us") != std::string::npos);
    CHECK(group(id).kind == "batch_scrape");
}

// A page that was on the wire at the cancellation is not subtracted from a count that it was never added to.
TEST_CASE_FIXTURE(CrawlSite, "a crawl that was cancelled and retried keeps to its limit") {
    std::atomic<int> at_once = 0, most = 0;
    std::binary_semaphore first_is_there(0), first_may_end(0);
    std::atomic<bool> is_first = true;
    linked("/", {"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"});
    for (const char* path : {"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"}) {
        server.on(path, [&](const test::ServerRequest&, test::Connection& connection) {
            if (is_first.exchange(false)) {
                first_is_there.release();
                first_may_end.acquire();
            } else {
                most = std::max(most.load(), ++at_once);
                connection.pause(std::chrono::milliseconds(20));
                --at_once;
            }
            connection.respond(200, {{"Content-Type", "text/html"}}, "<p>Some words.</p>");
        });
    }
    crawl::CrawlOptions wanted = options();
    wanted.max_concurrency = 1;
    const GroupId id = start_crawl(*store, wanted).value();
    std::jthread worker([&] { CHECK(run()); });
    first_is_there.acquire();

    REQUIRE(store->cancel(id));
    REQUIRE(store->retry(store::JobFilter{.group = id, .kind = "fetch_page"}).value() > 0);
    // If the engine has not seen that it was cancelled, its one page under way is the first, and nothing else
    // begins.
    for (int waited = 0; most == 0 && waited < 200; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    first_may_end.release();
    worker.join();

    CHECK(group(id).counters.completed == 9);
    CHECK(most == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "a run that is to end gives back what its servers never answer") {
    server.on("/*",
              [](const test::ServerRequest&, test::Connection& connection) { connection.wait_for_close(); });
    crawl::CrawlOptions silent = options("/silent");
    silent.ignore_robots = true;
    const GroupId id = start_crawl(*store, silent).value();
    EngineConfig impatient = config();
    impatient.patience = std::chrono::milliseconds(10);
    std::stop_source stop;
    std::jthread stopping([&] {
        while (server.count_requests("/silent") == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        stop.request_stop();
    });

    Engine engine(*store, fetcher, std::move(impatient));
    REQUIRE(engine.run({}, stop.get_token()));

    const FrontierUrl url = reader()->urls({.group = id}).value().at(0);
    CHECK(url.state == UrlState::queued);
    CHECK(url.attempts == 0);
}

TEST_CASE_FIXTURE(CrawlSite, "a cancelled crawl fetches nothing more") {
    linked("/", {"/a"});
    linked("/a", {});
    const GroupId id = start_crawl(*store, options()).value();
    REQUIRE(store->cancel(id));

    REQUIRE(run());

    CHECK(group(id).state == JobState::cancelled);
    CHECK(server.count_requests("/") == 0);
}

TEST_CASE_FIXTURE(CrawlSite, "a private address is refused unless the crawl was allowed it") {
    linked("/", {});
    crawl::CrawlOptions strict = options();
    strict.allow_private = false;

    const GroupId id = crawl(strict);

    CHECK(urls(id)["/"].find("failed") == 0);
    CHECK(urls(id)["/"].find("loopback") != std::string::npos);
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(CrawlSite, "pages nearly the same as another are marked") {
    std::string words;
    for (int i = 0; i < 200; ++i) words += "word" + std::to_string(i * 7919 % 997) + " ";
    linked("/", {"/one", "/two"});
    page("/one", "<p>" + words + "first</p>");
    page("/two", "<p>" + words + "second</p>");

    const GroupId id = crawl(options());

    CHECK(group(id).counters.duplicates == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "a crawl can begin with a sitemap, and reads the sitemaps that it names") {
    const auto serve_xml = [&](const std::string& path, const std::string& xml) {
        server.on(path, [=](const test::ServerRequest&, test::Connection& connection) {
            connection.respond(200, {{"Content-Type", "application/xml"}}, xml);
        });
    };
    serve_xml("/maps/all.xml", "<sitemapindex><sitemap><loc>" + server.url("/maps/docs.xml") +
                                   "</loc></sitemap></sitemapindex>");
    serve_xml("/maps/docs.xml", "<urlset><url><loc>" + server.url("/docs/a") + "</loc></url><url><loc>" +
                                    "https://other.example/</loc></url></urlset>");
    linked("/docs/a", {});

    CHECK(urls(crawl(options("/maps/all.xml"))) == Urls{{"/docs/a", "completed 200"},
                                                        {"/maps/all.xml", "skipped listing"},
                                                        {"/maps/docs.xml", "skipped listing"}});
}

TEST_CASE_FIXTURE(CrawlSite, "a host that does not answer holds up nobody else") {
    test::HostileServer slow;
    std::binary_semaphore released(0);
    slow.on("/*", [&](const test::ServerRequest& request, test::Connection& connection) {
        if (request.target != "/robots.txt") released.acquire();
        connection.respond(404, {}, "");
    });
    std::vector<std::string> links;
    for (int i = 0; i < 30; ++i) links.push_back("/p" + std::to_string(i));
    linked("/", links);
    for (const std::string& link : links) linked(link, {});
    crawl::CrawlOptions both = options();
    both.urls.insert(both.urls.begin(), slow.url("/"));
    const GroupId id = start_crawl(*store, both).value();

    const RunUntil all_fast_pages{.enough = [&] {
        if (group(id).counters.completed < 31) return false;
        released.release();
        return true;
    }};
    REQUIRE(run(all_fast_pages));

    CHECK(group(id).counters.completed == 31);
}

TEST_CASE_FIXTURE(CrawlSite, "a server that asks for patience is asked again later, and not before") {
    std::atomic<int> asked = 0;
    server.on("/", [&](const test::ServerRequest&, test::Connection& connection) {
        ++asked;
        connection.respond(503, {{"Retry-After", "3600"}}, "later");
    });
    const GroupId id = start_crawl(*store, options()).value();

    REQUIRE(run({.enough = [&] { return urls(id)["/"] == "queued" && asked > 0; }}));

    const FrontierUrl url = reader()->urls({.group = id}).value().at(0);
    CHECK(url.attempts == 1);
    CHECK(url.status == 503);
    REQUIRE(url.run_at);
    CHECK(*url.run_at > store->now() + std::chrono::minutes(50));
    CHECK(asked == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "headers that say who asks go to the user's own site only") {
    test::HostileServer other;
    other.on("/*", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(200, {{"Content-Type", "text/html"}}, "<p>Somebody else's words.</p>");
    });
    linked("/", {other.url("/page")});
    crawl::CrawlOptions abroad = options();
    abroad.external = true;
    abroad.headers = {{"Authorization", "Bearer secret"}, {"Accept-Language", "de"}};

    crawl(abroad);

    REQUIRE(other.count_requests("/page") == 1);
    for (const test::ServerRequest& request : other.requests()) {
        CHECK(header_value(request.headers, "authorization").empty());
        CHECK(header_value(request.headers, "accept-language") == "de");
    }
    CHECK(header_value(server.requests().back().headers, "authorization") == "Bearer secret");
}

TEST_CASE_FIXTURE(CrawlSite, "nothing is fetched while robots.txt cannot be had, and the reason is told") {
    server.on("/robots.txt", [](const test::ServerRequest&, test::Connection& connection) {
        connection.respond(500, {}, "");
    });
    linked("/", {});
    const GroupId id = start_crawl(*store, options()).value();

    REQUIRE(run({.enough = [&] { return reader()->urls({.group = id}).value().at(0).attempts == 1; }}));

    const FrontierUrl url = reader()->urls({.group = id}).value().at(0);
    CHECK(url.state == UrlState::queued);
    CHECK(url.note.find("robots.txt") != std::string::npos);
    CHECK(url.note.find("500") != std::string::npos);
    CHECK(server.count_requests("/") == 0);
}

namespace {

constexpr const char* shell =
    "<title>App</title><div id=root></div><script src=/app.js></script>"
    "<noscript>You need to enable JavaScript to run this app.</noscript>";

}  // namespace

TEST_CASE_FIXTURE(CrawlSite, "a page that scripts make is left out where there is no browser, and says so") {
    linked("/", {"/app"});
    page("/app", shell);
    crawl::CrawlOptions wanted = options();
    wanted.render = Rendering::when_empty;

    const GroupId id = crawl(wanted);

    CHECK(urls(id) == Urls{{"/", "completed 200"}, {"/app", "skipped empty"}});
    const auto all = reader()->urls({.group = id});
    for (const FrontierUrl& url : all.value())
        CHECK((url.note.find("no browser") != std::string::npos) == (url.url == server.url("/app")));
}

TEST_CASE_FIXTURE(CrawlSite, "a crawl that is to be rendered fails without a browser, and says so") {
    linked("/", {});
    crawl::CrawlOptions wanted = options();
    wanted.render = Rendering::always;

    const GroupId id = crawl(wanted);

    CHECK(urls(id) == Urls{{"/", "failed this worker has no browser to render pages in"}});
    CHECK(server.count_requests("/") == 1);
}

TEST_CASE_FIXTURE(CrawlSite, "what is asked about a page is stored with it") {
    page("/", R"(<title>Mug</title><script type="application/ld+json">{"@type":"Product","sku":"7"}</script>
                 <article><h1>The mug</h1><p>Mugs are made of clay, and they break when they fall.</p></article>)");
    crawl::CrawlOptions wanted = options();
    wanted.data.wants_json = true;
    wanted.data.schema = R"({"type":"object","properties":{"sku":{"type":"string"}}})";

    const GroupId id = crawl(wanted);

    CHECK(urls(id) == Urls{{"/", "completed 200"}});
    CHECK(pages(id).at(0).content->details.find(R"("answers":{"json":{"sku":"7"}})") != std::string::npos);
    CHECK(pages(id).at(0).content->details.find("rawHtml") == std::string::npos);
}
