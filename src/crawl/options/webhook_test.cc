#include "crawl/options/webhook.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawl/options/options.h"

using namespace quarry;
using namespace quarry::crawl;
namespace json = boost::json;

TEST_CASE("a webhook is an address, or an object with one") {
    const auto plain = parse_webhook("https://a.example/hook");
    const auto whole = parse_webhook(json::parse(R"({"url":"http://a.example","headers":{"X-Key":"k"},
        "metadata":{"run":"7"},"events":["page","crawl.completed"]})"));

    REQUIRE(plain);
    CHECK(plain->url == "https://a.example/hook");
    CHECK(plain->events.size() == 4);
    REQUIRE(whole);
    REQUIRE(whole->headers.size() == 1);
    CHECK(whole->headers[0].name == "X-Key");
    CHECK(whole->metadata.at("run") == "7");
    CHECK(to_json(*parse_webhook(to_json(*whole))) == to_json(*whole));
}

TEST_CASE("a crawl's options keep its webhook, and what it is about") {
    CrawlOptions options{.urls = {"https://a.example"}};
    options.webhook = Webhook{.url = "https://b.example", .metadata = {{"a", "b"}}, .events = {}};
    options.about = {{"watch_id", "a"}};

    const auto back = parse_crawl_options(to_json(options));

    REQUIRE(back);
    REQUIRE(back->webhook);
    CHECK(to_json(*back->webhook) == to_json(*options.webhook));
    CHECK(back->about == options.about);
    CHECK_FALSE(parse_crawl_options({{"url", "https://a.example"}, {"about", "words"}}));
}

TEST_CASE("what is wanted is said by the event's name, or by its whole type") {
    struct Case {
        std::vector<std::string> events;
        std::string type;
        bool is_wanted;
    };
    const std::vector<std::string> standard = Webhook{}.events;
    const Case cases[] = {
        {standard, "crawl.started", true},
        {standard, "batch_scrape.page", true},
        {standard, "crawl.failed", true},
        {standard, "crawl.cancelled", false},  // sent only on request
        {{"cancelled"}, "crawl.cancelled", true},
        {{"page"}, "crawl.page", true},
        {{"page"}, "crawl.completed", false},
        {{"crawl.page"}, "crawl.page", true},
        {{"crawl.page"}, "batch_scrape.page", false},
        {{}, "crawl.page", false},
    };
    for (const Case& row : cases) {
        CAPTURE(row.type);
        CHECK(wants({.url = "https://a.example", .events = row.events}, row.type) == row.is_wanted);
    }
}

TEST_CASE("an event's type names what kind of group it is about") {
    CHECK(type_of("crawl", WebhookEvent::page) == "crawl.page");
    CHECK(type_of("batch_scrape", WebhookEvent::cancelled) == "batch_scrape.cancelled");
}

TEST_CASE("a webhook that cannot be sent to is refused with the reason") {
    const std::string many = json::serialize(json::value(std::string(9'000, 'x')));
    struct Case {
        std::string text, reason;
    };
    const Case cases[] = {
        {R"("ftp://a.example")", "no http or https URL"},
        {R"("a.example/hook")", "no http or https URL"},
        {R"("")", "no http or https URL"},
        {R"("http://ann:secret@a.example/")", "no user name"},
        {R"(7)", "must be a URL"},
        {R"({})", "needs a \"url\""},
        {R"({"url":7})", "must be a text"},
        {fmt::format(R"("http://a.example/{}")", std::string(2'048, 'a')), "at most 2048 bytes"},
        {R"({"url":"http://a.example","events":["pages"]})", "did you mean \"page\"?"},
        {R"({"url":"http://a.example","events":"page"})", "a list of texts"},
        {R"({"url":"http://a.example","headers":{"X-Firecrawl-Signature":"sha256=00"}})", "cannot be set"},
        {R"({"url":"http://a.example","headers":{"Transfer-Encoding":"chunked"}})", "cannot be set"},
        {R"({"url":"http://a.example","headers":{"Host":"b.example"}})", "cannot be set"},
        {R"({"url":"http://a.example","headers":{"a b":"c"}})", "not the name of a header"},
        {R"({"url":"http://a.example","headers":{"":"c"}})", "not the name of a header"},
        {R"({"url":"http://a.example","headers":{"a":"b\r\nEvil: 1"}})", "line break"},
        {R"({"url":"http://a.example","headers":{"a":7}})", "object of texts"},
        {fmt::format(R"({{"url":"http://a.example","headers":{{"a":{}}}}})", many), "8192 bytes in all"},
        {fmt::format(R"({{"url":"http://a.example","metadata":{{"a":{},"b":{}}}}})", many, many),
         "16384 bytes in all"},
        {R"({"url":"http://a.example","metadata":{"a":1}})", "object of texts"},
    };
    for (const Case& row : cases) {
        CAPTURE(row.text.substr(0, 100));
        const auto webhook = parse_webhook(json::parse(row.text));
        REQUIRE_FALSE(webhook);
        CHECK(webhook.error().code == ErrorCode::invalid_argument);
        CHECK(webhook.error().message.find(row.reason) != std::string::npos);
    }
}
