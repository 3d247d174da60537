#include "model/json/records.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "model/ids.h"

using namespace quarry;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr Timestamp made_at{1'769'785'200'010ms};

// As it arrives after a journey as text.
json::value sent(const json::object& record) {
    return json::parse(json::serialize(record));
}

Group sample_group() {
    Group group{.id = GroupId{7}, .kind = "crawl", .name = "https://a.example/", .options = R"({"limit":5})"};
    group.collection = "docs";
    group.owner = "team";
    group.state = JobState::paused;
    group.priority = 3;
    group.concurrency = Concurrency::unlimited;
    group.page_limit = 5;
    group.index_pages = false;
    group.counters = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    group.timings = {1us, 22us, 333us, 4'444us, 55'555us, 666us, 6, "cut"};
    group.kept_for = 24h;
    group.roots = {"https://b.example/"};
    group.error = "why";
    group.created_at = made_at;
    group.started_at = made_at + 1s;
    group.finished_at = made_at + 2s;
    return group;
}

}  // namespace

TEST_CASE("a crawl arrives as it was sent") {
    const Group group = sample_group();

    const Group read = parse_group(sent(record_of(group, 1))).value();

    CHECK(read.id == group.id);
    CHECK(read.kind == group.kind);
    CHECK(read.name == group.name);
    CHECK(read.options == group.options);
    CHECK(read.collection == group.collection);
    CHECK(read.owner == group.owner);
    CHECK(read.state == group.state);
    CHECK(read.priority == group.priority);
    CHECK(read.concurrency == group.concurrency);
    CHECK(read.page_limit == group.page_limit);
    CHECK(read.index_pages == group.index_pages);
    CHECK(read.timings == group.timings);
    CHECK(read.roots == group.roots);
    CHECK(read.error == group.error);
    CHECK(read.created_at == group.created_at);
    CHECK(read.started_at == group.started_at);
    CHECK(read.finished_at == group.finished_at);
    const GroupCounters& counters = read.counters;
    CHECK(counters.jobs_open == 1);
    CHECK(counters.discovered == 2);
    CHECK(counters.queued == 3);
    CHECK(counters.running == 4);
    CHECK(counters.completed == 5);
    CHECK(counters.failed == 6);
    CHECK(counters.skipped == 7);
    CHECK(counters.unchanged == 8);
    CHECK(counters.duplicates == 9);
    CHECK(counters.gone == 10);
    CHECK(counters.not_admitted == 11);
    CHECK(counters.removed == 12);
    CHECK(counters.bytes == 13);
    CHECK(counters.indexed == 14);
    CHECK(counters.index_failed == 15);
    CHECK(counters.chunks == 16);
}

TEST_CASE("a crawl's record has the id that users see, and its options as what they say") {
    const json::object record = record_of(sample_group(), 1);

    CHECK(record.at("crawl_id") == json::value(public_id(7, made_at, 1)));
    CHECK(record.at("options").at("limit") == 5);
    CHECK(record.at("status") == "paused");
}

TEST_CASE("a crawl whose pages wait arrives as one that is over") {
    json::object record = record_of(sample_group(), 1);
    record["status"] = "running";
    record["state"] = "completed";

    CHECK(parse_group(record).value().state == JobState::completed);
    record["state"] = "somewhere";
    CHECK(parse_group(record).error().code == ErrorCode::corrupt);
}

TEST_CASE("a job arrives as it was sent") {
    Job job{.id = JobId{9}, .kind = "embed_page", .state = JobState::failed, .priority = 1, .attempts = 2};
    job.max_attempts = 4;
    job.stalls = 5;
    job.progress = 60;
    job.owner = "team";
    job.group = GroupId{7};
    job.unique_key = "key";
    job.last_error = "why";
    job.worker = WorkerId{8};
    job.created_at = made_at;
    job.run_at = made_at + 1s;
    job.started_at = made_at + 2s;
    job.finished_at = made_at + 3s;
    job.start_by = made_at + 4s;
    job.deadline = made_at + 5s;
    job.payload = R"({"a":1})";
    job.result = "no JSON";
    job.url = "https://a.example/";

    const Job read = parse_job(sent(record_of(job, 1))).value();

    CHECK(read.id == job.id);
    CHECK(read.kind == job.kind);
    CHECK(read.state == job.state);
    CHECK(read.priority == job.priority);
    CHECK(read.attempts == job.attempts);
    CHECK(read.max_attempts == job.max_attempts);
    CHECK(read.stalls == job.stalls);
    CHECK(read.progress == job.progress);
    CHECK(read.owner == job.owner);
    CHECK(read.group == job.group);
    CHECK(read.unique_key == job.unique_key);
    CHECK(read.last_error == job.last_error);
    CHECK(read.worker == job.worker);
    CHECK(read.created_at == job.created_at);
    CHECK(read.run_at == job.run_at);
    CHECK(read.started_at == job.started_at);
    CHECK(read.finished_at == job.finished_at);
    CHECK(read.start_by == job.start_by);
    CHECK(read.deadline == job.deadline);
    CHECK(read.payload == job.payload);
    CHECK(read.result == job.result);
    CHECK(read.url == job.url);
    CHECK_FALSE(parse_job(sent(record_of(Job{}, 1))).value().group);
}

TEST_CASE("a URL arrives as it was sent") {
    FrontierUrl url{
        .id = JobId{3}, .group = GroupId{7}, .url = "https://a.example/", .final_url = "https://b.example/"};
    url.depth = 2;
    url.source = UrlSource::sitemap;
    url.state = UrlState::skipped;
    url.skipped = SkipReason::robots;
    url.status = 404;
    url.attempts = 4;
    url.stalls = 5;
    url.note = "why";
    url.error = ErrorCode::timeout;
    url.run_at = made_at;
    url.finished_at = made_at + 1s;
    url.content = ContentId{11};

    const FrontierUrl read = parse_url(sent(record_of(url))).value();

    CHECK(read.id == url.id);
    CHECK(read.group == url.group);
    CHECK(read.url == url.url);
    CHECK(read.final_url == url.final_url);
    CHECK(read.depth == url.depth);
    CHECK(read.source == url.source);
    CHECK(read.state == url.state);
    CHECK(read.skipped == url.skipped);
    CHECK(read.status == url.status);
    CHECK(read.attempts == url.attempts);
    CHECK(read.stalls == url.stalls);
    CHECK(read.note == url.note);
    CHECK(read.error == url.error);
    CHECK(read.run_at == url.run_at);
    CHECK(read.finished_at == url.finished_at);
    CHECK(read.content == url.content);
}

TEST_CASE("a page arrives as it was sent, with its words if they were read") {
    StoredPage page{.id = PageId{1}, .content_id = ContentId{2}, .key = {~0ull, 3}, .collection = "docs"};
    page.facts = {.url = "https://a.example/",
                  .final_url = "https://b.example/",
                  .status = 200,
                  .etag = "\"e\"",
                  .last_modified = "yesterday",
                  .content_type = "text/html",
                  .title = "A title",
                  .language = "en",
                  .content_hash = ~0ull,
                  .simhash = 1ull << 63,
                  .body_bytes = 12,
                  .fetched_at = made_at};
    page.changed_at = made_at + 1s;
    page.near_duplicate_of = "https://c.example/";

    const StoredPage bare = parse_page(sent(record_of(page))).value();
    page.content =
        Content{.markdown = "# Words\n", .details = R"({"metadata":{"b":1,"a":2}})", .html = "<p>"};
    const StoredPage read = parse_page(sent(record_of(page))).value();

    CHECK_FALSE(bare.content);
    CHECK(read.id == page.id);
    CHECK(read.content_id == page.content_id);
    CHECK(read.key == page.key);
    CHECK(read.collection == page.collection);
    CHECK(read.facts.url == page.facts.url);
    CHECK(read.facts.final_url == page.facts.final_url);
    CHECK(read.facts.status == page.facts.status);
    CHECK(read.facts.etag == page.facts.etag);
    CHECK(read.facts.last_modified == page.facts.last_modified);
    CHECK(read.facts.content_type == page.facts.content_type);
    CHECK(read.facts.title == page.facts.title);
    CHECK(read.facts.language == page.facts.language);
    CHECK(read.facts.content_hash == page.facts.content_hash);
    CHECK(read.facts.simhash == page.facts.simhash);
    CHECK(read.facts.body_bytes == page.facts.body_bytes);
    CHECK(read.facts.fetched_at == page.facts.fetched_at);
    CHECK(read.changed_at == page.changed_at);
    CHECK(read.near_duplicate_of == page.near_duplicate_of);
    REQUIRE(read.content);
    CHECK(read.content->markdown == page.content->markdown);
    CHECK(read.content->details == page.content->details);
    CHECK(read.content->html == page.content->html);
}

TEST_CASE("a collection, a session and a day of sessions arrive as they were sent") {
    const Collection collection{
        .name = "docs", .embedder = {"tei", "bge", 384, "sha"}, .created_at = made_at, .pages = 12};
    Session session{.id = 1,
                    .group = GroupId{2},
                    .job = JobId{3},
                    .operation = "crawl",
                    .base_url = "https://a.example/"};
    session.owner = "team";
    session.started_at = made_at;
    session.completed_at = made_at + 1s;
    session.success = true;
    session.auto_index = false;
    session.counts = {1, 2, 3, 4, 5, 6, 7ms, 8ms, 9ms, 10ms, 11ms, 12ms, 13ms};
    session.extra = R"({"a":1})";
    session.error = "why";
    const SessionDay day{
        .day = made_at, .operation = "search", .sessions = 3, .successes = 2, .counts = session.counts};

    const Collection read_collection = parse_collection(sent(record_of(collection))).value();
    const Session read = parse_session(sent(record_of(session))).value();
    const SessionDay read_day = parse_session_day(sent(record_of(day))).value();

    CHECK(read_collection.name == collection.name);
    CHECK(read_collection.embedder == collection.embedder);
    CHECK(read_collection.created_at == collection.created_at);
    CHECK(read_collection.pages == collection.pages);
    CHECK(read.id == session.id);
    CHECK(read.group == session.group);
    CHECK(read.job == session.job);
    CHECK(read.operation == session.operation);
    CHECK(read.base_url == session.base_url);
    CHECK(read.owner == session.owner);
    CHECK(read.started_at == session.started_at);
    CHECK(read.completed_at == session.completed_at);
    CHECK(read.success == session.success);
    CHECK(read.auto_index == session.auto_index);
    CHECK(read.counts == session.counts);
    CHECK(read.extra == session.extra);
    CHECK(read.error == session.error);
    CHECK(read_day.day == day.day);
    CHECK(read_day.operation == day.operation);
    CHECK(read_day.sessions == day.sessions);
    CHECK(read_day.successes == day.successes);
    CHECK(read_day.counts == day.counts);
}

TEST_CASE("a record of a request is read as it was written") {
    const RequestRecord request{.at = Timestamp(std::chrono::milliseconds(1'760'000'000'123)),
                                .method = "GET",
                                .path = "/v2/crawl/7",
                                .route = "/v2/crawl/{id}",
                                .status = 404,
                                .took = std::chrono::microseconds(1'500),
                                .request_id = "ab12",
                                .peer = "127.0.0.1",
                                .user_agent = "curl",
                                .owner = "team",
                                .extra = R"({"bytes":3})"};

    const RequestRecord read = parse_request_record(sent(record_of(request))).value();

    CHECK(read.at == request.at);
    CHECK(read.method == request.method);
    CHECK(read.path == request.path);
    CHECK(read.route == request.route);
    CHECK(read.status == request.status);
    CHECK(read.took == request.took);
    CHECK(read.request_id == request.request_id);
    CHECK(read.peer == request.peer);
    CHECK(read.user_agent == request.user_agent);
    CHECK(read.owner == request.owner);
    CHECK(read.extra == request.extra);
}

TEST_CASE("a record that is none is refused") {
    for (const char* text :
         {"[]", "null", R"({"number": "7"})", R"({"status": "broken"})", R"({"created_at": "today"})",
          R"({"timings": 3})", R"({"timings": {"fetch_ms": "x"}})", R"({"roots": [1]})",
          R"({"priority": 1e30})"}) {
        CAPTURE(text);
        CHECK(parse_group(json::parse(text)).error().code == ErrorCode::corrupt);
    }
}
