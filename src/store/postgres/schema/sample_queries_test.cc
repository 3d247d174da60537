// SQL that was written for Firecrawl's queue, run as it stands in the document that quarry is made after, on
// rows that the store wrote. Where the document is not at hand, the same is asked in our own words.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "db/postgres/connection.h"
#include "model/collection.h"
#include "model/ids.h"
#include "servers/postgres.h"
#include "store/postgres/store.h"
#include "store/rows/pages.h"

namespace quarry::store::postgres {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

FoundUrl url_of(std::uint64_t number) {
    return {.url = "https://a.example/" + std::to_string(number), .key = {1, number}, .host = "a.example"};
}

PageWrite page_of(const UrlLease& lease, const std::string& words) {
    const std::string title = "Title of " + words;
    const Content content{.markdown = "# " + words,
                          .details = R"({"metadata":{"title":")" + title +
                                     R"(","description":"d"},"links":["https://a.example/next"]})"};
    return {.key = lease.key,
            .facts = {.url = lease.url,
                      .final_url = lease.url,
                      .status = 200,
                      .content_type = "text/html",
                      .title = title,
                      .content_hash = content_hash(title, words)},
            .content = pack(content).value()};
}

// A crawl of five URLs, of which one fails and one is skipped; one that has begun and one that waits for it;
// scrapes of a page that was had, of one that was not, and of one that is on its way; and what was asked
// besides.
struct Work {
    std::string url;
    std::unique_ptr<Store> store;
    std::unique_ptr<Reader> reader;
    std::unique_ptr<db::PgConnection> connection;
    GroupId crawl{}, begun{}, waiting{}, scrape{}, refused{}, fetching{}, changed{};

    Work() {
        test::Postgres* const server = test::Postgres::shared();
        if (!server) {
            MESSAGE("skipped: PostgreSQL is not installed");
            return;
        }
        url = server->url(server->create_database());
        store = open_postgres_store({.database = {.url = url},
                                     .limits = {.running_groups_per_owner = 1, .low_disk_bytes = 0}})
                    .value();
        connection = std::make_unique<db::PgConnection>(db::PgConnection::open({.url = url}).value());
        reader = open_postgres_reader({.url = url}).value();
        do_crawl();
        do_scrapes();
        do_others();
    }

    bool is_there() const { return reader != nullptr; }

    void do_crawl() {
        crawl =
            store
                ->add_group(
                    {.name = "https://a.example/",
                     .options =
                         R"({"kind":"crawl","urls":["https://a.example/1"],"limit":10,"scrapeOptions":{"headers":["x"]}})",
                     .owner = "team"},
                    {}, {url_of(1), url_of(2), url_of(3), url_of(4), url_of(5)})
                .value();
        const auto worker = store->register_worker("test").value();
        const auto leased = store->lease({.worker = worker, .urls = 10}).value().urls;
        REQUIRE(leased.size() == 5);
        for (const UrlLease& lease : leased) {
            const int number = lease.url.back() - '0';
            Outcome outcome{.status = 200, .timings = {.fetch = 2'000us}};
            if (number <= 3) outcome.pages = {page_of(lease, "page " + std::to_string(number))};
            if (number == 4) outcome.end = Failed{"no such host", ErrorCode::not_found};
            if (number == 5) outcome.end = Skipped{SkipReason::robots, "robots.txt"};
            REQUIRE(store->finish({{lease.lease, std::move(outcome)}}).value().at(0) == Verdict::applied);
        }
        begun = store->add_group({.name = "https://b.example/", .owner = "team"}, {}, {url_of(7)}).value();
        waiting = store->add_group({.name = "https://c.example/", .owner = "team"}, {}, {url_of(8)}).value();
        const auto changes = store->lease({.worker = worker, .changes = 10}).value().changes;
        REQUIRE(changes.size() == 3);
        for (const ChangeLease& change : changes) {
            const Timings timings{.chunk = 1'000us, .embed = 2'000us, .index = 3'000us, .chunks = 4};
            REQUIRE(store->finish({{change.lease, {.timings = timings}}}));
        }
    }

    GroupId begin_scrape(std::uint64_t number, const std::string& kind = "scrape",
                         const std::string& options = R"({"kind":"scrape"})") {
        return store
            ->add_group({.kind = kind,
                         .name = url_of(number).url,
                         .options = options,
                         .collection = "scrapes",
                         .concurrency = Concurrency::unlimited,
                         .index_pages = false},
                        {}, {url_of(number)})
            .value();
    }

    void do_scrapes() {
        const auto worker = store->register_worker("scraper").value();
        scrape = begin_scrape(11);
        refused = begin_scrape(12);
        changed = begin_scrape(
            13, "rescrape",
            R"({"kind":"rescrape","about":{"watch_id":"w1","watch_url":"https://a.example/13",)"
            R"("detected_at":"2026-01-02T03:04:05Z","diff_summary":"more","snapshot_url":null,"metadata":{"a":1}}})");
        const auto leased = store->lease({.worker = worker, .urls = 10}).value().urls;
        for (const UrlLease& lease : leased) {
            Outcome outcome{.status = 200};
            if (lease.group == scrape || lease.group == changed) outcome.pages = {page_of(lease, "one page")};
            if (lease.group == refused) outcome.end = Skipped{SkipReason::robots, "robots.txt forbids it"};
            if (lease.group == begun) outcome.end = Snooze{store->now() + 1h, "later"};
            REQUIRE(store->finish({{lease.lease, std::move(outcome)}}));
        }
        fetching = begin_scrape(14);
        REQUIRE(store->lease({.worker = worker, .urls = 1}).value().urls.size() == 1);
    }

    void do_others() {
        const Timestamp now = store->now();
        REQUIRE(store->add_session({.operation = "search",
                                    .base_url = "how to install",
                                    .started_at = now - 20ms,
                                    .completed_at = now,
                                    .success = true,
                                    .counts = {.embedding = 5ms, .duration = 20ms},
                                    .extra = R"({"hits":10})"}));
        const std::vector<RequestRecord> requests = {{.at = now,
                                                      .method = "GET",
                                                      .path = "/v2/crawl/7",
                                                      .route = "/v2/crawl/{id}",
                                                      .status = 404,
                                                      .took = 1500us,
                                                      .request_id = "ab12",
                                                      .peer = "127.0.0.1",
                                                      .user_agent = "curl",
                                                      .owner = "local",
                                                      .extra = "{}"}};
        REQUIRE(store->add_requests(requests));
    }

    // The rows of a query as JSON, in its order.
    json::array rows_of(std::string sql) {
        while (!sql.empty() && (sql.back() == '\n' || sql.back() == ';')) sql.pop_back();
        const auto plain = connection->query(sql);
        if (!plain) FAIL(plain.error().message);
        const auto rows =
            connection->query("select coalesce(json_agg(row), '[]')::text from (" + sql + ") as row");
        if (!rows) FAIL(rows.error().message);
        return json::parse(rows->text(0, 0)).as_array();
    }
    std::string id_of(GroupId group) {
        return public_id(number(group), reader->group(group).value().created_at, reader->salt());
    }
};

std::set<std::string> texts_of(const json::array& rows, std::string_view field) {
    std::set<std::string> texts;
    for (const json::value& row : rows) texts.emplace(row.at(field).as_string());
    return texts;
}

// The queries of the document, by the words that each of them has and no other.
std::string seeds_folder() {
    const char* said = std::getenv("QUARRY_SEEDS");
    return said ? said : QUARRY_SEEDS_FOLDER;
}

std::vector<std::string> sample_queries() {
    std::vector<std::string> queries;
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(seeds_folder(), error)) {
        if (!file.path().filename().string().starts_with("003_")) continue;
        std::stringstream text;
        text << std::ifstream(file.path()).rdbuf();
        const std::string document = text.str();
        for (std::size_t begin = document.find("```sql\nSELECT"); begin != std::string::npos;
             begin = document.find("```sql\nSELECT", begin + 1)) {
            const std::size_t first = begin + 7;
            queries.push_back(document.substr(first, document.find("```", first) - first));
        }
    }
    return queries;
}

struct Queries {
    std::string scrapes, crawl, failed, sessions, joined;
};

constexpr std::string_view any_crawl = "<crawl_uuid>";

// What stands for the id of a crawl is the only thing that is put in.
std::optional<Queries> queries_of_document(const std::string& crawl) {
    std::vector<std::string> queries = sample_queries();
    if (queries.size() != 5) return std::nullopt;
    if (const std::size_t place = queries[1].find(any_crawl); place != std::string::npos)
        queries[1].replace(place, any_crawl.size(), crawl);
    return Queries{queries[0], queries[1], queries[2], queries[3], queries[4]};
}

Queries queries_of_our_own(const std::string& crawl) {
    return {
        .scrapes =
            "select id, data->>'url' as url, data->>'team_id' as team_id, status, created_at,"
            " returnvalue->'metadata'->>'title' as title, length(returnvalue->>'content') as content_length"
            " from nuq.queue_scrape where status = 'completed' and group_id is null"
            " and created_at > now() - interval '1 hour' order by created_at desc limit 100",
        .crawl =
            "select id, data->>'url' as url, returnvalue->'metadata'->>'title' as title,"
            " returnvalue->>'markdown' as markdown, finished_at from nuq.queue_scrape where group_id = '" +
            crawl +
            "' and status = 'completed' and data->>'mode' = 'single_urls' order by finished_at, created_at",
        .failed =
            "select id, data->>'url' as url, failedreason, stalls, created_at, finished_at"
            " from nuq.queue_scrape where status = 'failed' and created_at > now() - interval '6 hours'"
            " order by created_at desc",
        .sessions =
            "select * from webhook.crawl_sessions where started_at > now() - interval '24 hours'"
            " order by started_at desc",
        .joined =
            "select qs.id, qs.data->>'url' as url, qs.status as job_status, cs.job_id, cs.operation_type,"
            " cs.total_urls, cs.completed_urls, cs.duration_ms from nuq.queue_scrape as qs"
            " left join webhook.crawl_sessions as cs on cs.job_id = qs.group_id::text"
            " where qs.group_id is not null and qs.created_at > now() - interval '1 hour'",
    };
}

const json::value* row_with(const json::array& rows, std::string_view field, std::string_view text) {
    for (const json::value& row : rows) {
        if (row.at(field).is_string() && row.at(field).as_string() == text) return &row;
    }
    return nullptr;
}

void check_scrapes(Work& work, const json::array& rows) {
    REQUIRE(rows.size() == 2);
    const json::value* row = row_with(rows, "id", work.id_of(work.scrape));
    REQUIRE(row);
    CHECK(row->at("url") == "https://a.example/11");
    CHECK(row->at("team_id") == "local");
    CHECK(row->at("title") == "Title of one page");
    CHECK(row->at("content_length") == 10);
    CHECK(row->at("status") == "completed");
    CHECK(row_with(rows, "id", work.id_of(work.changed)));
}

void check_crawl(const json::array& rows) {
    REQUIRE(rows.size() == 3);
    CHECK(texts_of(rows, "markdown") == std::set<std::string>{"# page 1", "# page 2", "# page 3"});
    const json::value* row = row_with(rows, "url", "https://a.example/2");
    REQUIRE(row);
    CHECK(row->at("title") == "Title of page 2");
    CHECK(row->at("markdown") == "# page 2");
    CHECK(row->at("finished_at").is_string());
}

void check_failed(Work& work, const json::array& rows) {
    REQUIRE(rows.size() == 2);
    CHECK(row_with(rows, "url", "https://a.example/4")->at("failedreason") == "no such host");
    const json::value* refused = row_with(rows, "id", work.id_of(work.refused));
    REQUIRE(refused);
    CHECK(refused->at("failedreason") == "robots.txt forbids it");
    CHECK(refused->at("stalls") == 0);
}

void check_sessions(Work& work, const json::array& rows) {
    CHECK(rows.size() == 8);
    const json::value* row = row_with(rows, "job_id", work.id_of(work.crawl));
    REQUIRE(row);
    CHECK(row->at("operation_type") == "crawl");
    CHECK(row->at("base_url") == "https://a.example/");
    CHECK(row->at("total_urls") == 5);
    CHECK(row->at("completed_urls") == 3);
    CHECK(row->at("failed_urls") == 1);
    CHECK(row->at("total_embedding_ms").to_number<double>() == 6);
    CHECK(row->at("total_qdrant_ms").to_number<double>() == 9);
    CHECK(row->at("status") == "completed");
    CHECK(row_with(rows, "job_id", work.id_of(work.fetching))->at("status") == "in_progress");
    CHECK(row_with(rows, "base_url", "how to install")->at("operation_type") == "search");
}

void check_joined(Work& work, const json::array& rows) {
    std::size_t of_crawl = 0;
    for (const json::value& row : rows) {
        if (row.at("job_id") == json::value(work.id_of(work.crawl))) {
            ++of_crawl;
            CHECK(row.at("operation_type") == "crawl");
            CHECK(row.at("completed_urls") == 3);
        } else {
            // One page that is put off, and the jobs that begin crawls: one has begun, one waits for it.
            const bool has_begun = row.at("job_id") == json::value(work.id_of(work.begun));
            const bool is_kickoff =
                row.at("url") != "https://b.example/7" && row.at("url") != "https://a.example/7";
            CHECK(row.at("job_status") == (has_begun && is_kickoff ? "completed" : "queued"));
        }
    }
    // Four pages, and the job that began it.
    CHECK(of_crawl == 5);
    CHECK(row_with(rows, "url", "https://a.example/4")->at("job_status") == "failed");
}

void check_all(Work& work, const Queries& queries) {
    check_scrapes(work, work.rows_of(queries.scrapes));
    check_crawl(work.rows_of(queries.crawl));
    check_failed(work, work.rows_of(queries.failed));
    check_sessions(work, work.rows_of(queries.sessions));
    check_joined(work, work.rows_of(queries.joined));
}

}  // namespace

TEST_CASE("the sample queries of the document run as they stand there") {
    Work work;
    if (!work.is_there()) return;
    const auto queries = queries_of_document(work.id_of(work.crawl));
    if (!queries) {
        MESSAGE("skipped: the document is not in " << seeds_folder() << ", say where with QUARRY_SEEDS");
        return;
    }
    check_all(work, *queries);
}

TEST_CASE("the same is found in our own words") {
    Work work;
    if (!work.is_there()) return;
    check_all(work, queries_of_our_own(work.id_of(work.crawl)));
}

TEST_CASE("a page that is fetched is active, and one whose crawl waits is in the backlog") {
    Work work;
    if (!work.is_there()) return;

    const json::array active =
        work.rows_of("select id, lock, locked_at, data from nuq.queue_scrape where status = 'active'");
    const json::array backlog = work.rows_of("select * from nuq.queue_scrape_backlog");

    REQUIRE(active.size() == 1);
    CHECK(active[0].at("id") == json::value(work.id_of(work.fetching)));
    CHECK(active[0].at("lock").is_string());
    CHECK(active[0].at("data").at("is_scrape") == true);
    CHECK(active[0].at("data").at("concurrencyLimited") == false);
    REQUIRE(backlog.size() == 1);
    CHECK(backlog[0].at("group_id") == json::value(work.id_of(work.waiting)));
    CHECK(backlog[0].at("data").at("url") == "https://a.example/8");
    CHECK(backlog[0].at("data").at("concurrencyLimited") == true);
    CHECK(backlog[0].at("owner_id") == json::value(owner_uuid("team")));
}

TEST_CASE("crawls are groups, and told of when they are over") {
    Work work;
    if (!work.is_there()) return;

    const json::array groups = work.rows_of("select * from nuq.group_crawl order by created_at");
    const json::array finished = work.rows_of("select * from nuq.queue_crawl_finished");

    REQUIRE(groups.size() == 3);
    CHECK(groups[0].at("id") == json::value(work.id_of(work.crawl)));
    CHECK(groups[0].at("status") == "completed");
    CHECK(groups[0].at("owner_id") == json::value(owner_uuid("team")));
    CHECK(groups[0].at("expires_at").is_string());
    CHECK(groups[2].at("status") == "active");
    CHECK(groups[2].at("expires_at").is_null());
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].at("group_id") == json::value(work.id_of(work.crawl)));
}

TEST_CASE("a page has what was asked for, but no secrets") {
    Work work;
    if (!work.is_there()) return;

    const json::array rows = work.rows_of(
        "select data, returnvalue from nuq.queue_scrape where data->>'url' = 'https://a.example/1'");

    REQUIRE(rows.size() == 1);
    const json::value& data = rows[0].at("data");
    CHECK(data.at("crawl_id") == json::value(work.id_of(work.crawl)));
    CHECK(data.at("crawlerOptions").at("limit") == 10);
    CHECK_FALSE(data.at("scrapeOptions").as_object().contains("headers"));
    // A batch has thousands, and each of its pages would have them all.
    CHECK_FALSE(data.at("crawlerOptions").as_object().contains("urls"));
    const json::value& page = rows[0].at("returnvalue");
    CHECK(page.at("metadata").at("description") == "d");
    CHECK(page.at("metadata").at("statusCode") == 200);
    CHECK(page.at("metadata").at("sourceURL") == "https://a.example/1");
    CHECK(page.at("linksOnPage").as_array().size() == 1);
}

TEST_CASE("of each page that was indexed there are four operations") {
    Work work;
    if (!work.is_there()) return;

    const json::array rows = work.rows_of("select * from webhook.operation_metrics");

    REQUIRE(rows.size() == 12);
    CHECK(texts_of(rows, "id").size() == 12);
    CHECK(texts_of(rows, "operation_type") ==
          std::set<std::string>{"chunking", "embedding", "qdrant", "bm25"});
    CHECK(texts_of(rows, "crawl_id") == std::set{work.id_of(work.crawl)});
    CHECK(row_with(rows, "operation_type", "embedding")->at("duration_ms").to_number<double>() == 2);
    CHECK(row_with(rows, "document_url", "https://a.example/3")->at("success") == true);
}

TEST_CASE("requests and changes of pages are shown") {
    Work work;
    if (!work.is_there()) return;

    const json::array requests = work.rows_of("select * from webhook.request_metrics");
    const json::array changes = work.rows_of("select * from webhook.change_events");

    REQUIRE(requests.size() == 1);
    CHECK(requests[0].at("status_code") == 404);
    CHECK(requests[0].at("duration_ms").to_number<double>() == 1.5);
    CHECK(requests[0].at("client_ip") == "127.0.0.1");
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].at("watch_id") == "w1");
    CHECK(changes[0].at("detected_at").as_string().starts_with("2026-01-02T03:04:05"));
    CHECK(changes[0].at("rescrape_job_id") == json::value(work.id_of(work.changed)));
    CHECK(changes[0].at("rescrape_status") == "completed");
    CHECK(changes[0].at("metadata").at("a") == 1);
}

}  // namespace quarry::store::postgres
