// What every store promises about the outbox: changes of pages are leased, ended and counted as jobs are.
#include <algorithm>

#include "store/promises/backend.h"
#include "store/rows/pages.h"

namespace quarry::store::promises {

namespace {

PageWrite page(std::uint64_t key, const std::string& words) {
    const std::string url = "https://a.example/" + std::to_string(key);
    return {.key = {1, key},
            .facts = {.url = url,
                      .final_url = url,
                      .status = 200,
                      .title = "Title",
                      .content_hash = content_hash("Title", words),
                      .fetched_at = Timestamp(1s)},
            .content = pack({.markdown = words, .details = "{}"}).value()};
}

void write(Backend& backend, std::uint64_t key, const std::string& words, PageBatch batch = {}) {
    batch.pages = {page(key, words)};
    REQUIRE(backend.store->write_pages(std::move(batch)));
}

std::vector<ChangeLease> lease_changes(Backend& backend, int count, const std::string& by = "first",
                                       const std::string& collection = "") {
    return backend.lease_for({.changes = count, .change_collection = collection}, by).changes;
}

std::vector<std::string> urls_of(const std::vector<ChangeLease>& changes) {
    std::vector<std::string> urls;
    for (const ChangeLease& change : changes) urls.push_back(change.url.substr(18));
    return urls;
}

OutboxCounts counts(Backend& backend, const std::string& collection = "",
                    std::optional<GroupId> group = std::nullopt) {
    return backend.reader->outbox_counts(collection, group).value();
}

// The words of a change, as its indexer reads them.
std::string words_of(Backend& backend, const ChangeLease& change) {
    const auto versions = backend.reader->page_versions(std::vector{*change.content}).value();
    return versions.empty() ? "" : versions.at(0).content.value().markdown;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE_TEMPLATE("a change is leased with all its indexer needs", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group =
        backend.store
            ->add_group({.collection = "docs", .priority = priority_high}, {},
                        {{.url = "https://a.example/7", .key = {1, 7}, .host = "a.example"}})
            .value();
    const auto url = backend.lease_urls(1).at(0);
    backend.finish(url.lease, {.status = 200, .pages = {page(7, "hello")}});

    const ChangeLease change = lease_changes(backend, 10).at(0);

    CHECK(change.collection == "docs");
    CHECK(change.url == "https://a.example/7");
    CHECK(change.group == group);
    CHECK(change.version == 1);
    CHECK(change.priority == priority_high);
    CHECK(change.attempt == 1);
    CHECK(change.max_attempts == 3);
    CHECK(change.snoozes == 0);
    const StoredPage stored = backend.reader->page("docs", {1, 7}).value().value();
    CHECK(change.page == stored.id);
    CHECK(change.content == stored.content_id);
    CHECK(words_of(backend, change) == "hello");
}

TEST_CASE_TEMPLATE("changes are leased by priority, then by age, and each once", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one", {.priority = priority_low});
    write(backend, 2, "two");
    write(backend, 3, "three", {.collection = "other"});
    write(backend, 4, "four", {.priority = priority_high});

    CHECK(urls_of(lease_changes(backend, 2)) == Words{"4", "2"});
    CHECK(urls_of(lease_changes(backend, 10, "second")) == Words{"3", "1"});
    CHECK(lease_changes(backend, 10).empty());
}

TEST_CASE_TEMPLATE("changes of one collection can be asked for alone", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two", {.collection = "docs"});

    CHECK(urls_of(lease_changes(backend, 10, "first", "docs")) == Words{"2"});
    CHECK(lease_changes(backend, 10, "first", "docs").empty());
    CHECK(lease_changes(backend, 10, "first", "nothing").empty());
    CHECK(urls_of(lease_changes(backend, 10)) == Words{"1"});
}

TEST_CASE_TEMPLATE("more changes than memory holds come in order", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    PageBatch batch;
    for (std::uint64_t key = 1; key <= 1'500; ++key) batch.pages.push_back(page(key, "words"));
    REQUIRE(backend.store->write_pages(batch));
    backend.restart();

    std::vector<std::int64_t> ids;
    for (auto leased = lease_changes(backend, 64); !leased.empty(); leased = lease_changes(backend, 64)) {
        std::vector<Finished> finished;
        for (const ChangeLease& change : leased) {
            ids.push_back(number(change.lease.id));
            finished.push_back({change.lease, {}});
        }
        REQUIRE(backend.store->finish(finished));
    }

    CHECK(ids.size() == 1'500);
    CHECK(std::ranges::is_sorted(ids));
    CHECK(std::ranges::adjacent_find(ids) == ids.end());
}

TEST_CASE_TEMPLATE("a completed change is counted, timed and told of, once", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    std::vector<Event> told;
    const auto observer = backend.store->observe(
        [&](std::span<const Event> events) { told.insert(told.end(), events.begin(), events.end()); });
    const ChangeLease change = lease_changes(backend, 1).at(0);
    CHECK(counts(backend).processing == 1);
    CHECK(counts(backend).pending == 0);

    CHECK(backend.finish(change.lease) == Verdict::applied);
    CHECK(backend.finish(change.lease) == Verdict::already_applied);

    CHECK(counts(backend).completed == 1);
    CHECK(counts(backend).processing == 0);
    CHECK(backend.job(change.lease.id).state == JobState::completed);
    REQUIRE(told.size() == 1);
    CHECK(told[0].what == Event::What::page_indexed);
    CHECK(told[0].url == "https://a.example/1");
    CHECK(lease_changes(backend, 1).empty());
}

TEST_CASE_TEMPLATE("an attempt that failed is made again at its time, until there are none left", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    for (int attempt = 1; attempt <= 2; ++attempt) {
        const ChangeLease change = lease_changes(backend, 1).at(0);
        CHECK(change.attempt == attempt);
        backend.finish(change.lease, {.end = Retry{"no answer", backend.clock.now() + 10s}});
        CHECK(lease_changes(backend, 1).empty());
        CHECK(counts(backend).pending == 1);
        CHECK(counts(backend).next_due == backend.clock.now() + 10s);
        CHECK(counts(backend).last_error == "no answer");
        backend.clock.advance(10s);
    }
    const ChangeLease last = lease_changes(backend, 1).at(0);

    backend.finish(last.lease, {.end = Retry{"still none", backend.clock.now()}});

    CHECK(counts(backend).failed == 1);
    CHECK(counts(backend).last_error == "still none");
    CHECK_FALSE(counts(backend).next_due);
    CHECK(backend.job(last.lease.id).last_error == "still none");
    CHECK(backend.finish(last.lease, {.end = Retry{"still none"}}) == Verdict::already_applied);
    CHECK(lease_changes(backend, 1).empty());
}

TEST_CASE_TEMPLATE("a service that is away costs no attempt, and is counted in a row", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    for (int snoozes = 0; snoozes < 5; ++snoozes) {
        const ChangeLease change = lease_changes(backend, 1).at(0);
        CHECK(change.snoozes == snoozes);
        CHECK(change.attempt == 1);
        const auto leased_next = backend.lease_for({.changes = 1});
        CHECK_FALSE(leased_next.next_due);
        backend.finish(change.lease, {.end = Snooze{backend.clock.now() + 20s, "connection refused"}});
        CHECK(backend.lease_for({.changes = 1}).next_due == backend.clock.now() + 20s);
        CHECK(counts(backend).last_error == "connection refused");
        if (snoozes == 2) backend.restart();
        backend.clock.advance(20s);
    }

    backend.finish(lease_changes(backend, 1).at(0).lease, {.end = Retry{"broken", backend.clock.now()}});

    const ChangeLease change = lease_changes(backend, 1).at(0);
    CHECK(change.snoozes == 0);
    CHECK(change.attempt == 2);
    backend.finish(change.lease);
    CHECK(counts(backend).last_error.empty());
}

TEST_CASE_TEMPLATE("what went wrong last is known until nothing waits any more, whatever works meanwhile",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two");
    const auto leased = lease_changes(backend, 2);
    backend.finish(leased.at(0).lease, {.end = Snooze{backend.clock.now() + 20s, "no answer"}});

    backend.finish(leased.at(1).lease);

    CHECK(counts(backend).last_error == "no answer");
    backend.clock.advance(20s);
    backend.finish(lease_changes(backend, 1).at(0).lease);
    CHECK(counts(backend).last_error.empty());
}

TEST_CASE_TEMPLATE("a change that waits after an error is due at once when it is retried by hand", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two");
    const ChangeLease change = lease_changes(backend, 1).at(0);
    backend.finish(change.lease, {.end = Snooze{backend.clock.now() + 60s, "the service is away"}});
    CHECK(lease_changes(backend, 1).at(0).lease.id != change.lease.id);
    CHECK(lease_changes(backend, 1).empty());

    CHECK(backend.store->retry({.kind = "embed_page"}).value() == 1);

    CHECK(lease_changes(backend, 1).at(0).lease.id == change.lease.id);
}

TEST_CASE_TEMPLATE("a change that cannot be indexed fails at once, and can be tried again", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    std::vector<Event> told;
    const auto observer = backend.store->observe(
        [&](std::span<const Event> events) { told.insert(told.end(), events.begin(), events.end()); });
    const ChangeLease change = lease_changes(backend, 1).at(0);
    backend.finish(change.lease, {.end = Failed{"not a text"}});
    CHECK(told.at(0).what == Event::What::index_failed);
    CHECK(counts(backend).failed == 1);
    CHECK(lease_changes(backend, 1).empty());

    CHECK(backend.store->retry({.kind = "embed_page"}).value() == 1);

    const ChangeLease again = lease_changes(backend, 1).at(0);
    CHECK(again.lease.id == change.lease.id);
    CHECK(again.attempt == 1);
    CHECK(backend.finish(change.lease) == Verdict::conflict);
    CHECK(backend.finish(again.lease) == Verdict::applied);
    CHECK(counts(backend).failed == 0);
}

TEST_CASE_TEMPLATE("a change whose worker died is leased again, and the dead worker cannot complete it",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    const ChangeLease lost = lease_changes(backend, 1).at(0);
    backend.store->begin(lost.lease);
    backend.clock.advance(61s);

    const ChangeLease rescued = lease_changes(backend, 1, "second").at(0);

    CHECK(rescued.lease.id == lost.lease.id);
    CHECK(backend.job(rescued.lease.id).stalls == 1);
    CHECK(backend.store->beat(backend.worker(), {}).value() == std::vector{lost.lease.id});
    CHECK(backend.finish(lost.lease) == Verdict::conflict);
    CHECK(backend.finish(rescued.lease) == Verdict::applied);
}

TEST_CASE_TEMPLATE("a change that kills its workers fails", Backend, TRANSACTIONAL_STORES) {
    Backend backend(StoreLimits{.max_stalls = 2});
    write(backend, 1, "one");
    JobId id{};
    for (int stall = 0; stall < 3; ++stall) {
        const auto change = lease_changes(backend, 1, "worker " + std::to_string(stall)).at(0);
        id = change.lease.id;
        backend.store->begin(change.lease);
        backend.clock.advance(61s);
    }

    CHECK(lease_changes(backend, 1, "last").empty());
    CHECK(backend.job(id).state == JobState::failed);
    CHECK(backend.job(id).last_error == "Worker timed out");
    CHECK(counts(backend).failed == 1);
}

TEST_CASE_TEMPLATE("changes leased by a process that ended are leased by the next", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two");
    const auto lost = lease_changes(backend, 2);
    backend.store->begin(lost.at(0).lease);

    backend.restart();

    const auto rescued = lease_changes(backend, 2);
    REQUIRE(rescued.size() == 2);
    CHECK(backend.job(rescued[0].lease.id).stalls == 1);
    CHECK(backend.job(rescued[1].lease.id).stalls == 0);
    CHECK(backend.finish(lost[0].lease) == Verdict::conflict);
}

TEST_CASE_TEMPLATE("a change that is given back costs nothing and is next", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two");
    const ChangeLease given = lease_changes(backend, 1).at(0);

    REQUIRE(backend.store->release({given.lease}));

    const ChangeLease again = lease_changes(backend, 1, "second").at(0);
    CHECK(again.lease.id == given.lease.id);
    CHECK(again.attempt == 1);
    CHECK(backend.finish(given.lease) == Verdict::conflict);
}

TEST_CASE_TEMPLATE("a page that changes before its turn is indexed once, in its last words", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "first");
    write(backend, 1, "second");

    const auto leased = lease_changes(backend, 10);

    REQUIRE(leased.size() == 1);
    CHECK(leased[0].version == 2);
    CHECK(words_of(backend, leased[0]) == "second");
    CHECK(counts(backend).pending == 0);
}

TEST_CASE_TEMPLATE("a page that changes while it is indexed waits for that, and is indexed again", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "first");
    const ChangeLease older = lease_changes(backend, 1).at(0);
    write(backend, 1, "second");
    CHECK(lease_changes(backend, 10, "second").empty());
    write(backend, 1, "third");
    CHECK(lease_changes(backend, 10, "second").empty());
    CHECK(counts(backend).pending == 1);

    CHECK(backend.finish(older.lease) == Verdict::applied);

    const auto newer = lease_changes(backend, 10, "second");
    REQUIRE(newer.size() == 1);
    CHECK(newer[0].version == 3);
    CHECK(words_of(backend, newer[0]) == "third");
}

TEST_CASE_TEMPLATE("a page may change in the very commit that ends its change", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 7, "old");
    const ChangeLease change = lease_changes(backend, 1).at(0);
    REQUIRE(backend.store->add_group({}, {},
                                     {{.url = "https://a.example/7", .key = {1, 7}, .host = "a.example"}}));
    const auto url = backend.lease_urls(1).at(0);

    const auto verdicts =
        backend.store
            ->finish({{url.lease, {.status = 200, .pages = {page(7, "new")}}}, {change.lease, Outcome{}}})
            .value();

    CHECK(verdicts == std::vector{Verdict::applied, Verdict::applied});
    CHECK(counts(backend).pending == 1);
    CHECK(words_of(backend, lease_changes(backend, 10).at(0)) == "new");
}

TEST_CASE_TEMPLATE("a change that failed or was given back is dropped if its page has a newer one", Backend,
                   TRANSACTIONAL_STORES) {
    const std::vector<decltype(Outcome::end)> ends = {Retry{"no"}, Failed{"no"}, Snooze{}, Completed{}};
    for (std::size_t how = 0; how < ends.size() + 2; ++how) {
        Backend backend;
        write(backend, 1, "first");
        const ChangeLease older = lease_changes(backend, 1).at(0);
        write(backend, 1, "second");
        CHECK(lease_changes(backend, 1, "second").empty());

        if (how < ends.size()) {
            CHECK(backend.finish(older.lease, {.end = ends[how]}) == Verdict::applied);
        } else if (how == ends.size()) {
            REQUIRE(backend.store->release({older.lease}));
        } else {
            backend.restart();
        }

        const auto newer = lease_changes(backend, 10, "second");
        REQUIRE(newer.size() == 1);
        CHECK(newer[0].version == 2);
        CHECK(counts(backend).failed == 0);
        CHECK(counts(backend).pending == 0);
    }
}

TEST_CASE_TEMPLATE("a page changed by a crawl that indexes nothing keeps the turn it had, in its new words",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "first");
    const ChangeLease older = lease_changes(backend, 1).at(0);
    write(backend, 1, "second", {.index_pages = false});
    CHECK(words_of(backend, older).empty());

    CHECK(backend.finish(older.lease, {.end = Snooze{}}) == Verdict::applied);

    const auto again = lease_changes(backend, 10);
    REQUIRE(again.size() == 1);
    CHECK(words_of(backend, again[0]) == "second");
}

TEST_CASE_TEMPLATE("many versions are read at once, in the order asked for, without those that are gone",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    for (std::uint64_t key = 1; key <= 3; ++key) write(backend, key, "words of " + std::to_string(key));
    const auto changes = lease_changes(backend, 3);
    const ContentId gone = *changes.at(1).content;
    write(backend, 2, "others");

    const auto versions = backend.reader
                              ->page_versions(std::vector{*changes.at(2).content, gone,
                                                          *changes.at(0).content, ContentId{99'999}})
                              .value();

    REQUIRE(versions.size() == 2);
    CHECK(versions[0].content.value().markdown == "words of 3");
    CHECK(versions[0].content_id == changes[2].content);
    CHECK(versions[0].id == changes[2].page);
    CHECK(versions[0].key == UrlKey{1, 3});
    CHECK(versions[0].collection == "default");
    CHECK(versions[0].facts.title == "Title");
    CHECK(versions[1].facts.url == "https://a.example/1");
}

TEST_CASE_TEMPLATE("a page that was removed leaves a change without words", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "first");
    const ChangeLease added = lease_changes(backend, 1).at(0);
    CHECK(backend.store->forget({.urls = {"https://a.example/1"}}).value() == 1);
    CHECK(lease_changes(backend, 1).empty());
    backend.finish(added.lease);

    const ChangeLease removed = lease_changes(backend, 1).at(0);

    CHECK_FALSE(removed.content);
    CHECK(removed.page == added.page);
    CHECK(removed.version > added.version);
    CHECK(removed.url == "https://a.example/1");
    backend.finish(removed.lease, {.end = Retry{"no", backend.clock.now()}});
    CHECK(lease_changes(backend, 1).at(0).attempt == 2);
}

TEST_CASE_TEMPLATE("changes are cancelled, paused, resumed, cleared and given another priority like jobs",
                   Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    for (std::uint64_t key = 1; key <= 4; ++key) write(backend, key, "words");
    const auto jobs = backend.reader->jobs({.filter = {.kind = "embed_page"}}).value();
    const auto only = [&](std::size_t index) { return JobFilter{.ids = {jobs.at(index).id}}; };

    CHECK(backend.store->pause(only(0)).value() == 1);
    CHECK(backend.store->reprioritise(only(2), priority_high).value() == 1);
    CHECK(backend.store->clear(only(3)).value() == 1);
    CHECK(urls_of(lease_changes(backend, 10)) == Words{"3", "2"});
    CHECK(backend.store->pause(only(2)).value() == 0);
    CHECK(backend.store->resume(only(0)).value() == 1);
    CHECK(urls_of(lease_changes(backend, 10)) == Words{"1"});
    CHECK(backend.store->cancel({.kind = "embed_page"}).value() == 3);
    CHECK(backend.store->beat(backend.worker(), {}).value().size() == 3);
    CHECK(counts(backend).pending + counts(backend).processing == 0);
    CHECK(backend.store->retry({.kind = "embed_page"}).value() == 3);
    CHECK(lease_changes(backend, 10).size() == 3);
}

TEST_CASE_TEMPLATE("a cancelled change makes way for a newer one of its page", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "first");
    const ChangeLease older = lease_changes(backend, 1).at(0);
    write(backend, 1, "second");
    CHECK(lease_changes(backend, 1, "second").empty());

    CHECK(backend.store->cancel({.ids = {older.lease.id}}).value() == 1);

    CHECK(words_of(backend, lease_changes(backend, 1, "second").at(0)) == "second");
    CHECK(backend.finish(older.lease) == Verdict::conflict);
    CHECK(backend.store->retry({.ids = {older.lease.id}}).value() == 0);
}

TEST_CASE_TEMPLATE("what a crawl has brought is indexed even if it is cancelled meanwhile", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group =
        backend.store
            ->add_group({}, {},
                        {{.url = "https://a.example/1", .key = {1, 1}, .host = "a.example"},
                         {.url = "https://a.example/2", .key = {1, 2}, .host = "a.example"}})
            .value();
    backend.finish(backend.lease_urls(1).at(0).lease, {.status = 200, .pages = {page(1, "one")}});
    const ChangeLease change = lease_changes(backend, 1).at(0);

    REQUIRE(backend.store->cancel(group));

    CHECK(backend.finish(change.lease) == Verdict::applied);
    CHECK(backend.group(group).counters.indexed == 1);
}

TEST_CASE_TEMPLATE("changes are counted by collection and by crawl, and are work like any other", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    const GroupId group =
        backend.store
            ->add_group({.collection = "docs"}, {},
                        {{.url = "https://a.example/1", .key = {1, 1}, .host = "a.example"}})
            .value();
    backend.finish(backend.lease_urls(1).at(0).lease, {.status = 200, .pages = {page(1, "one")}});
    write(backend, 2, "two", {.collection = "docs"});
    write(backend, 3, "three");

    CHECK(counts(backend).pending == 3);
    CHECK(counts(backend, "docs").pending == 2);
    CHECK(counts(backend, "docs", group).pending == 1);
    CHECK(counts(backend, "", group).pending == 1);
    CHECK(counts(backend, "nothing").pending == 0);
    lease_changes(backend, 1, "first", "docs");
    CHECK(counts(backend, "docs", group).processing == 1);
    std::int64_t queued = 0, running = 0;
    const auto by_state = backend.reader->job_counts({.kind = "embed_page"}).value();
    for (const StateCount& count : by_state) {
        (count.state == JobState::queued ? queued : running) += count.count;
    }
    CHECK(queued == 2);
    CHECK(running == 1);
}

TEST_CASE_TEMPLATE("completed changes are removed by age, failed ones stay", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    for (std::uint64_t key = 1; key <= 3; ++key) write(backend, key, "words");
    const auto leased = lease_changes(backend, 2);
    backend.finish(leased.at(0).lease);
    backend.finish(leased.at(1).lease, {.end = Failed{"no"}});
    backend.clock.advance(23h);
    CHECK(backend.store->sweep({}, 1s).value().changes == 0);
    backend.clock.advance(2h);

    CHECK(backend.store->sweep({}, 1s).value().changes == 1);

    CHECK(counts(backend).completed == 0);
    CHECK(counts(backend).failed == 1);
    CHECK(counts(backend).pending == 1);
}

TEST_CASE_TEMPLATE("a page whose completed change was swept is still removed from the index", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "words");
    const ChangeLease change = lease_changes(backend, 1).at(0);
    backend.finish(change.lease);
    backend.clock.advance(25h);
    REQUIRE(backend.store->sweep({}, 1s).value().changes == 1);

    CHECK(backend.store->forget({.collection = "default"}).value() == 1);

    const ChangeLease removed = lease_changes(backend, 1).at(0);
    CHECK(removed.page == change.page);
    CHECK_FALSE(removed.content);
}

TEST_CASE_TEMPLATE("changes that wait for their time are hastened, with the attempts that they had", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two");
    write(backend, 3, "three", {.collection = "docs"});
    for (const ChangeLease& change : lease_changes(backend, 3))
        backend.finish(change.lease, {.end = Retry{"no answer", backend.clock.now() + 1min}});
    REQUIRE(lease_changes(backend, 3).empty());

    CHECK(backend.store->hasten({.states = {JobState::queued}, .collection = "default"}).value() == 2);

    const auto hastened = lease_changes(backend, 3);
    CHECK(urls_of(hastened) == Words{"1", "2"});
    CHECK(hastened.at(0).attempt == 2);
    CHECK(backend.store->hasten({.collection = "default"}).value() == 0);
    CHECK(counts(backend).last_error == "no answer");
}

TEST_CASE_TEMPLATE("a change says when it was tried last", Backend, TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    const ChangeLease change = lease_changes(backend, 1).at(0);
    const Timestamp added = backend.job(change.lease.id).created_at;
    CHECK_FALSE(backend.job(change.lease.id).tried_at);
    backend.clock.advance(5s);
    backend.finish(change.lease, {.end = Snooze{backend.clock.now() + 10s, "no answer"}});

    const Job waiting = backend.job(change.lease.id);
    CHECK(waiting.tried_at == added + 5s);
    CHECK_FALSE(waiting.finished_at);
    backend.clock.advance(10s);
    const ChangeLease again = lease_changes(backend, 1).at(0);
    CHECK(backend.job(again.lease.id).tried_at == added + 5s);
    backend.finish(again.lease, {.end = Retry{"no answer", backend.clock.now() + 10s}});
    CHECK(backend.job(again.lease.id).tried_at == added + 15s);
}

TEST_CASE_TEMPLATE("only what is not in the index is indexed, if asked for so", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    for (std::uint64_t key = 1; key <= 6; ++key) write(backend, key, "words");
    const auto leased = lease_changes(backend, 4);
    backend.finish(leased.at(0).lease);
    backend.finish(leased.at(1).lease, {.end = Failed{"no"}});
    backend.finish(leased.at(2).lease, {.end = Failed{"no"}});
    REQUIRE(backend.store->cancel({.ids = {leased.at(3).lease.id}}).value() == 1);
    REQUIRE(backend.store->clear({.ids = {leased.at(2).lease.id}}).value() == 1);
    // The first is indexed, the second failed, the third was cleared, the fourth cancelled; two wait.
    CHECK(backend.store->index_again({}, IndexAgain::missing).value() == 3);
    CHECK(backend.store->index_again({}, IndexAgain::missing).value() == 0);
    CHECK(counts(backend).pending == 5);

    const auto rest = lease_changes(backend, 10);
    CHECK(rest.size() == 5);
    for (const ChangeLease& change : rest) backend.finish(change.lease);
    CHECK(backend.store->index_again({}, IndexAgain::missing).value() == 0);
}

TEST_CASE_TEMPLATE("a change that was swept had been done, unless it was cancelled", Backend,
                   TRANSACTIONAL_STORES) {
    Backend backend;
    write(backend, 1, "one");
    write(backend, 2, "two");
    const auto leased = lease_changes(backend, 2);
    backend.finish(leased.at(0).lease);
    REQUIRE(backend.store->cancel({.ids = {leased.at(1).lease.id}}).value() == 1);
    backend.clock.advance(25h);
    REQUIRE(backend.store->sweep({}, 1s).value().changes == 2);

    CHECK(backend.store->index_again({}, IndexAgain::missing).value() == 1);

    CHECK(urls_of(lease_changes(backend, 2)) == Words{"2"});
}

}  // namespace quarry::store::promises
