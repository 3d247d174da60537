// Databases of every version that was ever released, kept as SQL, are opened by this one.
#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/stored_page.h"
#include "servers/temporary_folder.h"
#include "store/consistency.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/store.h"

namespace quarry::test {

namespace {

// A file as a program of that version left it.
std::string file_of_version(const TemporaryFolder& folder, int version) {
    const std::string sql =
        read_file(fmt::format(QUARRY_SOURCE "/tests/store/fixtures/version_{}.sql", version));
    const std::string path = folder.file("quarry.db");
    REQUIRE_FALSE(sql.empty());
    REQUIRE(db::Connection::open(path, db::Access::create).value().execute(sql));
    return path;
}

// Every table with its columns and every index, as text.
std::string tables_of(const std::string& path) {
    db::Connection connection = db::Connection::open(path, db::Access::read_only).value();
    db::Statement rows = connection
                             .prepare(
                                 "SELECT m.type, m.name, c.name, c.type, c.\"notnull\", c.pk"
                                 " FROM sqlite_master AS m LEFT JOIN pragma_table_info(m.name) AS c"
                                 " WHERE m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2, 3")
                             .value();
    std::string text;
    while (rows.step().value()) {
        for (int column = 0; column < 6; ++column) text.append(rows.text(column)).append(" ");
        text += '\n';
    }
    return text;
}

std::unique_ptr<store::Store> open_store(const std::string& path) {
    auto store = store::open_sqlite_store({.path = path, .limits = {.low_disk_bytes = 0}});
    if (!store) FAIL(store.error().message);
    return *std::move(store);
}

}  // namespace

TEST_CASE("a database of an older version gets the tables of this one") {
    const TemporaryFolder fresh;
    open_store(fresh.file("quarry.db"));
    for (int version = 1; version <= store::schema_version; ++version) {
        const TemporaryFolder folder;
        const std::string path = file_of_version(folder, version);

        open_store(path);

        // If this fails for the newest version, its tables were changed without giving it a new number.
        CHECK(tables_of(path) == tables_of(fresh.file("quarry.db")));
        db::Connection connection = db::Connection::open(path, db::Access::read_only).value();
        CHECK(inconsistencies(connection).empty());
    }
}

TEST_CASE("what version 1 wrote is still there, and work on it goes on") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 1);

    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();

    CHECK(store->salt() == static_cast<std::uint64_t>(-4115293563562526284));
    const auto groups = reader->groups({}).value();
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].state == JobState::running);
    CHECK(groups[1].state == JobState::completed);
    CHECK(groups[1].counters.gone == 1);
    const auto old_pages = reader->pages({.group = groups[1].id, .with_content = true}).value().pages;
    const auto new_pages = reader->pages({.collection = "docs", .with_content = true}).value().pages;
    CHECK(old_pages.at(0).content.value().markdown == "words of one");
    CHECK(new_pages.at(0).content.value().markdown == "new words");
    CHECK(new_pages.at(0).facts.title == "Page 1");
    CHECK(reader->jobs({.filter = {.kind = "embed_page"}}).value().size() == 1);
    CHECK(reader->schedules().value().at(0).name == "nightly");

    const WorkerId worker = store->register_worker("worker").value();
    const auto leased = store->lease({.worker = worker, .kinds = {{"scrape", 5}}, .urls = 5}).value();
    REQUIRE(leased.urls.size() == 1);
    CHECK(leased.urls[0].url == "https://a.example/3");
    CHECK(store->finish({{leased.urls[0].lease, {.end = store::Failed{"no"}}}}).value().at(0) ==
          store::Verdict::applied);
    CHECK(reader->group(groups[0].id).value().state == JobState::completed);
    const bool has_job =
        std::ranges::any_of(leased.jobs, [](const auto& job) { return job.payload.contains("b.example"); });
    CHECK(has_job);
}

TEST_CASE("nothing that an older version kept goes sooner for it") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 5);
    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();
    const std::size_t groups = reader->groups({}).value().size();
    const auto pages = reader->pages({.collection = "docs"}).value().pages.size();
    REQUIRE(groups > 0);
    REQUIRE(pages > 0);

    // It is years old.
    const auto swept =
        store->sweep({.groups = std::chrono::hours(24 * 36'500)}, std::chrono::seconds(10)).value();

    CHECK(swept.groups == 0);
    CHECK(swept.pages == 0);
    CHECK(reader->groups({}).value().size() == groups);
    CHECK(reader->pages({.collection = "docs"}).value().pages.size() == pages);
    const auto kept = reader->groups({}).value();
    for (const Group& group : kept) CHECK_FALSE(group.kept_for.has_value());
}

TEST_CASE("what version 6 was to keep for a while goes when that is over") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 6);
    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();
    CHECK(reader->pages({.collection = "scrapes"}).value().pages.size() == 1);
    CHECK(reader->operations({}).value().at(0).error == "the index was full");

    const store::Retention retention{.groups = std::chrono::hours(24 * 36'500)};
    REQUIRE(store->sweep(retention, std::chrono::seconds(10)));
    REQUIRE(store->sweep(retention, std::chrono::seconds(10)));

    CHECK(reader->group(GroupId{30}).error().code == ErrorCode::not_found);
    CHECK(reader->group(GroupId{2}).has_value());
    CHECK(reader->pages({.collection = "scrapes"}).value().pages.empty());
    CHECK(reader->pages({.collection = "docs"}).value().pages.size() == 1);
    const auto days = reader->operation_days(10).value();
    REQUIRE(days.size() == 1);
    CHECK(days[0].pages == 4);
    CHECK(days[0].failed == 2);
    db::Connection connection = db::Connection::open(path, db::Access::read_only).value();
    CHECK(inconsistencies(connection).empty());
}

TEST_CASE("what version 1 left to be indexed is leased and counted") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 1);

    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();

    CHECK(reader->outbox_counts("docs", {}).value().pending == 1);
    const WorkerId worker = store->register_worker("worker").value();
    const auto changes = store->lease({.worker = worker, .changes = 5}).value().changes;
    REQUIRE(changes.size() == 1);
    const std::vector<ContentId> versions = {*changes[0].content};
    CHECK(reader->page_versions(versions).value().at(0).content.value().markdown == "new words");
    CHECK(store->finish({{changes[0].lease, {}}}).value().at(0) == store::Verdict::applied);
    CHECK(reader->outbox_counts("docs", {}).value().completed == 1);
    // Its site had this page before: forgetting it takes the words that both crawls brought.
    CHECK(store->forget({.collection = "docs"}).value() == 1);
    db::Connection connection = db::Connection::open(path, db::Access::read_only).value();
    CHECK(connection.integer("SELECT count(*) FROM content").value() == 0);
}

TEST_CASE("what version 2 wrote is still there, and work on it goes on") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 2);

    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();

    const auto counts = reader->outbox_counts("docs", {}).value();
    CHECK(counts.pending == 1);
    CHECK(counts.completed == 1);
    CHECK(counts.last_error == "the service is away");
    CHECK(counts.next_due == Timestamp(std::chrono::milliseconds(1'760'000'005'000)));
    const Group group = reader->group(GroupId{2}).value();
    CHECK(group.counters.indexed == 1);
    CHECK(group.counters.chunks == 4);
    CHECK(group.timings.fetch == std::chrono::milliseconds(5));
    CHECK(reader->collection("docs").value()->embedder.model == "bge-base");
    CHECK(reader->sessions({.operation = "search"}).value().at(0).base_url == "how to install");
    const auto days = reader->session_days(10).value();
    // Twelve that were summed up, and one that is still kept by itself.
    CHECK(std::ranges::any_of(days, [](const SessionDay& day) { return day.sessions == 13; }));

    const WorkerId worker = store->register_worker("worker").value();
    const auto changes = store->lease({.worker = worker, .changes = 5}).value().changes;
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].attempt == 2);
    CHECK(changes[0].snoozes == 2);
    CHECK(store->finish({{{JobId{20}, Token{77}}, {}}}).value().at(0) == store::Verdict::already_applied);
}

TEST_CASE("what version 3 wrote is still there") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 3);

    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();

    CHECK(reader->keys().value().at(0).hint == "qk-4f");
    CHECK(reader->limits("local").value()->pages_per_month == 900);
    CHECK(reader->usage("local", {}).value().at(0).pages == 42);
    CHECK(reader->requests({}).value().at(0).status == 404);
    CHECK(reader->request_days(1).value().at(0).requests == 10);
    CHECK(store->add_group({.request_key = "once"}, {}, {}).error().code == ErrorCode::conflict);
}

TEST_CASE("what version 4 wrote is still there") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 4);

    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();

    const std::string packed = reader->media(ContentId{12}).value();
    CHECK(find_media(packed, "0123456789abcdef0123456789abcdef").value().bytes == "picture");
    CHECK(reader->media(ContentId{6}).value().empty());
}

TEST_CASE("what version 5 put off is not put off for ever") {
    const TemporaryFolder folder;
    const std::string path = file_of_version(folder, 5);

    auto store = open_store(path);
    auto reader = store::open_sqlite_reader(path).value();
    const WorkerId worker = store->register_worker("worker").value();
    const auto leased = store->lease({.worker = worker, .kinds = {{"scrape", 5}}, .urls = 5}).value();
    REQUIRE(leased.urls.size() == 1);
    REQUIRE(leased.jobs.size() == 2);
    for (const store::LeaseRef& lease : {leased.urls[0].lease, leased.jobs[0].lease, leased.jobs[1].lease})
        CHECK(store->finish({{lease, {.end = store::Snooze{}}}}).value().at(0) == store::Verdict::applied);

    // It had been put off a thousand times, the job seven times.
    CHECK(reader->group(GroupId{9}).value().counters.failed == 1);
    for (const auto& job : leased.jobs) CHECK(reader->job(job.lease.id).value().state == JobState::queued);
}

}  // namespace quarry::test
