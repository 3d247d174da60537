#include <algorithm>
#include <thread>

#include "db/sqlite.h"
#include "engine/index_place_test.h"
#include "work/indexing/index_writer.h"
#include "work/indexing/prepared_page.h"
#include "work/retry.h"

namespace quarry::work {
namespace {

using namespace std::chrono_literals;
using Urls = std::vector<std::string>;

// Until each change that is due now has ended, or waits again.
Result<void> try_each(IndexPlace& place) {
    const Timestamp now = place.clock.now();
    const auto is_tried = [now](const Job& job) { return job.tried_at && *job.tried_at >= now; };
    return place.run({.enough = [&] {
        const store::JobQuery open{
            .filter = {.kind = "embed_page", .states = {JobState::queued, JobState::running}},
            .limit = 1'000};
        return std::ranges::all_of(place.reader()->jobs(open).value(), is_tried);
    }});
}

TEST_CASE_FIXTURE(IndexPlace, "a page that was stored can be found") {
    put("https://a.example/marble", "# Marble\n\nMarble is limestone that was pressed and heated.");

    REQUIRE(run());

    CHECK(found("limestone") == Urls{"https://a.example/marble"});
    CHECK(counts().completed == 1);
}

TEST_CASE_FIXTURE(IndexPlace, "new words of a page replace its old ones, and it is there once") {
    put("https://a.example/p", "Granite comes from deep below.");
    REQUIRE(run());
    put("https://a.example/p", "Basalt comes out of volcanoes.");

    REQUIRE(run());

    CHECK(found("granite").empty());
    CHECK(found("basalt") == Urls{"https://a.example/p"});
    CHECK(facts().chunks == 1);
}

TEST_CASE_FIXTURE(IndexPlace, "a page that was forgotten is not found") {
    put("https://a.example/p", "Slate splits into plates.");
    REQUIRE(run());
    REQUIRE(store->forget({.urls = {"https://a.example/p"}}));

    REQUIRE(run());

    CHECK(found("slate").empty());
    CHECK(facts().pages == 0);
}

TEST_CASE_FIXTURE(IndexPlace, "a collection remembers the embedder it was begun with") {
    put("https://a.example/p", "Chalk is soft.");
    REQUIRE(run());

    CHECK(reader()->collection("default").value()->embedder.provider == "builtin");
    CHECK(facts().embedder.provider == "builtin");
}

TEST_CASE_FIXTURE(IndexPlace, "a collection large enough gets a space of its own, in use when the run ends") {
    put_many(40);
    policy = {.min_chunks = 30, .dimensions = 16};

    REQUIRE(run());

    CHECK(facts().space > 0);
    CHECK(facts().vectors == 40);
}

TEST_CASE_FIXTURE(IndexPlace, "a small collection is found by its words alone") {
    put_many(20);
    policy = {.min_chunks = 30, .dimensions = 16};

    REQUIRE(run());

    CHECK(facts().space == 0);
    CHECK(found("number7") == Urls{"https://a.example/p7"});
}

TEST_CASE_FIXTURE(IndexPlace,
                  "a space is renewed when the collection has grown, until it was fitted on enough") {
    policy = {.min_chunks = 30, .enough_chunks = 80, .dimensions = 16};
    put_many(40, "a");
    REQUIRE(run());
    const int first = facts().space;
    put_many(9, "b");
    REQUIRE(run());
    const int after_a_few = facts().space;
    put_many(60, "c");
    REQUIRE(run());
    const int doubled = facts().space;
    put_many(400, "d");
    REQUIRE(run());

    CHECK(after_a_few == first);
    CHECK(doubled > first);
    CHECK(facts().space == doubled);
    CHECK(facts().vectors == facts().chunks);
}

TEST_CASE_FIXTURE(IndexPlace, "a fit that was interrupted is made up for by the next run") {
    put_many(60);
    REQUIRE(run());
    policy = {.min_chunks = 30, .dimensions = 16};
    std::stop_source stopped;
    stopped.request_stop();

    REQUIRE(run(stopped.get_token()));
    reopen_index();
    REQUIRE(run());

    CHECK(facts().space > 0);
    CHECK(facts().vectors == 60);
}

TEST_CASE_FIXTURE(IndexPlace, "more pages than there is room for are taken as room opens up") {
    put_many(1'500);
    policy.min_chunks = 10'000;

    REQUIRE(run());

    CHECK(facts().pages == 1'500);
    CHECK(counts().pending == 0);
}

TEST_CASE_FIXTURE(IndexPlace, "a document of many megabytes is indexed") {
    std::string words = "# Large\n\n";
    for (int i = 0; words.size() < (4u << 20); ++i) words += fmt::format("Sentence {} of a long book. ", i);
    put("https://a.example/book", words);
    put("https://a.example/leaf", "A leaf beside the book.");

    REQUIRE(run());

    CHECK(facts().pages == 2);
    CHECK(facts().chunks > 1'000);
    CHECK(found("leaf").front() == "https://a.example/leaf");
}

TEST_CASE_FIXTURE(IndexPlace, "a page whose words are damaged fails alone, and those beside it are indexed") {
    put_many(40);
    const std::string damaged = "(SELECT content FROM page WHERE url = 'https://a.example/p7')";
    auto file = db::Connection::open(path(), db::Access::write).value();
    REQUIRE(file.execute("UPDATE content SET markdown = x'28b52ffd00' WHERE id = " + damaged));

    for (int attempt = 0; attempt < 3; ++attempt) {
        REQUIRE(try_each(*this));
        clock.advance(73s);
    }

    CHECK(counts().completed == 39);
    CHECK(counts().failed == 1);
    CHECK(counts().last_error.contains("https://a.example/p7"));
    CHECK(found("number8") == Urls{"https://a.example/p8"});
}

// Changes on their way to the index writer, as they were prepared before a space was renewed or dropped.
class PreparedPlace : public IndexPlace {
public:
    PreparedPlace() {
        policy = {.min_chunks = 30, .dimensions = 16};
        put_many(40);
        REQUIRE(run());
        first_space = spaces.current("default").value();
        REQUIRE(store->forget({.urls = {"https://a.example/p1"}}));
        put("https://a.example/p0", "The quarry gives stone and gravel3 of colour2, and basalt.");
        const WorkerId worker = store->register_worker("test").value();
        const auto changes = store->lease({.worker = worker, .changes = 10}).value().changes;
        REQUIRE(changes.size() == 2);
        for (const store::ChangeLease& change : changes) works.push_back(prepared(change));
        std::ranges::sort(works, {}, [](const auto& work) { return work->change.content.has_value(); });
    }

    // Behind a page that keeps the writer busy, so that they are written together.
    void write() {
        IndexWriter writer({.store = *store,
                            .index = *index,
                            .spaces = &spaces,
                            .mailbox = std::make_shared<EngineMailbox>(),
                            .ended = [&](const IndexWriter::Ended&) {}});
        auto first = std::make_unique<PageInWork>();
        first->change = {
            .page = PageId{9'999}, .content = ContentId{9'999}, .version = 1, .collection = "other"};
        first->page = {.page = PageId{9'999}, .version = 1};
        for (int chunk = 0; chunk < 3'000; ++chunk)
            first->page.chunks.push_back({.chunk = {.text = "words"}});
        writer.add(std::move(first));
        for (PageInWorkPtr& work : works) writer.add(std::move(work));
    }

    std::vector<float> vector_of(const std::string& word) {
        text::TermReader terms;
        index::KeywordQuery query;
        for (const text::Term& term : terms.read(word))
            query.words.push_back({.term = std::string(term.text)});
        const auto hits = index->match("default", query, {}, 10).value();
        REQUIRE(hits.size() == 1);
        return index->vectors("default", std::vector{hits[0].chunk}).value().at(0);
    }

    Spaces spaces{*index, {.min_chunks = 30, .dimensions = 16}};
    Spaces::Current first_space{};
    std::vector<PageInWorkPtr> works;

private:
    PageInWorkPtr prepared(const store::ChangeLease& change) {
        auto work = std::make_unique<PageInWork>();
        work->change = change;
        if (!change.content) return work;
        const auto page = reader()->page_versions(std::vector{*change.content}).value().at(0);
        text::TermReader terms;
        work->embedder.facts = {.provider = "builtin", .dimensions = 16};
        work->page = work::prepare_page(page, change.version, {});
        work::count_terms(work->page, terms);
        work->space = first_space.version;
        for (index::IndexedChunk& chunk : work->page.chunks)
            chunk.vector = first_space.space->fold_in(chunk.terms);
        return work;
    }
};

TEST_CASE_FIXTURE(PreparedPlace,
                  "a page that was folded into a former space is folded again, also behind a removal") {
    Spaces of_other_size(*index, {.min_chunks = 30, .dimensions = 8});
    REQUIRE(of_other_size.renew("default", {}));
    REQUIRE(spaces.current("default").value().version > first_space.version);
    REQUIRE_FALSE(works.front()->change.content);
    REQUIRE(works.back()->page.chunks.at(0).vector.size() == 16);

    write();

    CHECK(vector_of("basalt").size() == 8);
    CHECK(found("number1").empty());
}

TEST_CASE_FIXTURE(PreparedPlace, "a page whose space was dropped meanwhile is found by its words") {
    REQUIRE(index->set_embedder("default", {.provider = "none"}));

    write();

    CHECK(found("basalt") == Urls{"https://a.example/p0"});
    CHECK(facts().vectors == 0);
}

TEST_CASE_FIXTURE(PreparedPlace, "a page whose collection was removed meanwhile is written all the same") {
    REQUIRE(index->remove_collection("default"));

    write();

    CHECK(found("basalt") == Urls{"https://a.example/p0"});
    CHECK(facts().vectors == 0);
}

TEST_CASE_FIXTURE(PreparedPlace, "a space that was fitted for an embedder of the past is not put to use") {
    REQUIRE(index->set_embedder("default", {.provider = "tei", .model = "m", .dimensions = 16}));

    CHECK(spaces.renew("default", {}).error().code == ErrorCode::conflict);

    CHECK(facts().space == 0);
    CHECK(facts().embedder.provider == "tei");
}

TEST_CASE("a page is embedded again after 10, 20, 40 and then 60 seconds, more or less a fifth") {
    const Timestamp now(1'000'000s);
    for (int attempt = 1; attempt <= 10; ++attempt) {
        const double seconds = std::min(60.0, 10.0 * (1 << (attempt - 1)));
        for (int dice = 0; dice < 100; ++dice) {
            const std::chrono::duration<double> wait = next_attempt(embedding_backoff, attempt, now) - now;
            CHECK(wait.count() >= 0.8 * seconds - 0.001);
            CHECK(wait.count() <= 1.2 * seconds);
        }
    }
}

class ServicePlace : public IndexPlace {
public:
    ServicePlace() { provider = "tei"; }
};

TEST_CASE_FIXTURE(ServicePlace, "a service embeds every chunk, in batches formed across pages") {
    put_many(100);

    REQUIRE(run());

    CHECK(facts().vectors == 100);
    CHECK(facts().embedder.model == tei.model().id);
    CHECK(tei.conduct.served() < 100);  // a request for each page would be 100, and one for the dimensions
    CHECK(tei.conduct.wrong_requests().empty());
}

TEST_CASE_FIXTURE(ServicePlace,
                  "while the service is down pages wait, visible with the reason, and cost no attempt") {
    tei.conduct.faults.always(test::Fault::unavailable);
    put_many(3);

    REQUIRE(run());

    CHECK(counts().pending == 3);
    CHECK(counts().failed == 0);
    CHECK(counts().last_error.find("503") != std::string::npos);
    const auto jobs = reader()->jobs({.filter = {.kind = "embed_page"}}).value();
    for (const Job& job : jobs) CHECK(job.attempts == 0);

    tei.conduct.faults.always(test::Fault::none);
    clock.advance(61s);
    REQUIRE(run());

    CHECK(facts().vectors == 3);
    CHECK(counts().pending == 0);
}

TEST_CASE_FIXTURE(ServicePlace,
                  "pages that wait are embedded as soon as the service is back, whatever their time") {
    ask_again_every = 1ms;
    tei.conduct.faults.always(test::Fault::unavailable);
    put_many(200);
    std::stop_source stop;
    std::jthread worker([&] { CHECK(run({}, stop.get_token())); });
    while (counts().pending < 200 || !counts().next_due) std::this_thread::yield();

    tei.conduct.faults.always(test::Fault::none);  // and the clock of the store stands still

    while (counts().completed < 200) std::this_thread::yield();
    stop.request_stop();
    worker.join();
    CHECK(facts().vectors == 200);
}

TEST_CASE_FIXTURE(
    ServicePlace,
    "a page is said to wait once the store knows, so that none misses that the service is back") {
    tei.conduct.faults.always(test::Fault::unavailable);
    put("https://a.example/p", "Words.");
    std::vector<bool> known;
    log = [&](const std::string& line) {
        if (line.starts_with("embedding waits")) known.push_back(counts().next_due.has_value());
    };

    REQUIRE(run());

    CHECK(known == std::vector{true});
}

TEST_CASE_FIXTURE(ServicePlace, "what a process before left waiting is embedded when its service is there") {
    tei.conduct.faults.always(test::Fault::unavailable);
    put_many(3);
    REQUIRE(run());
    REQUIRE(counts().next_due);
    tei.conduct.faults.always(test::Fault::none);
    std::stop_source stop;
    std::jthread worker([&] { CHECK(run({}, stop.get_token())); });

    while (counts().completed < 3) std::this_thread::yield();

    stop.request_stop();
}

TEST_CASE_FIXTURE(ServicePlace, "no more changes are worked on than a run may") {
    put_many(20);

    REQUIRE(run({.changes = RunUntil::Changes{.at_most = 7}}));
    CHECK(counts().completed == 7);
    CHECK(counts().pending == 13);

    for (int done = 8; done <= 20; ++done) {
        REQUIRE(run({.changes = RunUntil::Changes{.at_most = 1}}));
        CHECK(counts().completed == done);
        CHECK(counts().pending == 20 - done);
    }
}

TEST_CASE_FIXTURE(ServicePlace,
                  "a service that dies midway loses nothing, and what it has done is not done again") {
    put_many(64);
    tei.conduct.faults.next(test::Fault::none, 2);
    tei.conduct.faults.always(test::Fault::reset);
    REQUIRE(run());
    const auto before = counts();

    tei.conduct.faults.always(test::Fault::none);
    clock.advance(61s);
    REQUIRE(run());

    CHECK(before.completed + before.pending == 64);
    CHECK(facts().chunks == 64);
    CHECK(facts().vectors == 64);
}

TEST_CASE("a service whose answers never make sense is waited for, and costs no attempt") {
    using test::Fault;
    for (const Fault fault : {Fault::garbage, Fault::wrong_count, Fault::not_a_number, Fault::echo_key}) {
        CAPTURE(static_cast<int>(fault));
        ServicePlace place;
        place.put("https://a.example/known", "The service is known by now.");
        REQUIRE(place.run());
        place.tei.conduct.faults.always(fault);
        place.put("https://a.example/p", "Words.");
        for (int attempt = 0; attempt < 4; ++attempt) {
            REQUIRE(place.run());
            place.clock.advance(73s);
        }
        CHECK(place.counts().pending == 1);
        CHECK(place.counts().failed == 0);
        CHECK_FALSE(place.counts().last_error.empty());

        place.tei.conduct.faults.always(Fault::none);
        REQUIRE(place.run());

        CHECK(place.facts().vectors == 2);
    }
}

TEST_CASE("a text that fails while others are embedded uses up its attempts, and fails alone") {
    using test::Fault;
    for (const Fault fault : {Fault::backend, Fault::internal, Fault::too_large, Fault::reset}) {
        CAPTURE(static_cast<int>(fault));
        ServicePlace place;
        place.tei.conduct.faults.for_word("poison", fault);
        place.put_many(60);
        place.put("https://a.example/poison", "poison");

        for (int attempt = 1; attempt <= 3; ++attempt) {
            REQUIRE(place.run());
            CHECK(place.counts().completed == 60);
            const auto jobs =
                place.reader()
                    ->jobs({.filter = {.kind = "embed_page", .states = {JobState::queued, JobState::failed}}})
                    .value();
            REQUIRE(jobs.size() == 1);
            CHECK(jobs[0].attempts == attempt);
            CHECK(jobs[0].url == "https://a.example/poison");
            CHECK_FALSE(jobs[0].last_error.empty());
            place.clock.advance(73s);
        }

        CHECK(place.counts().failed == 1);
        CHECK(place.counts().pending == 0);
        CHECK(place.facts().vectors == 60);
        place.tei.conduct.faults.for_word("", Fault::none);
        REQUIRE(place.store->retry(store::JobFilter{.kind = "embed_page", .states = {JobState::failed}})
                    .value() == 1);
        REQUIRE(place.run());
        CHECK(place.facts().vectors == 61);
    }
}

TEST_CASE_FIXTURE(
    ServicePlace,
    "a text that is refused since too many were sent costs no attempt, though others are embedded") {
    tei.conduct.faults.for_word("poison", test::Fault::overloaded);
    put_many(20);
    put("https://a.example/poison", "poison");

    for (int attempt = 0; attempt < 4; ++attempt) {
        REQUIRE(try_each(*this));
        clock.advance(73s);
    }

    const auto waiting =
        reader()->jobs({.filter = {.kind = "embed_page", .states = {JobState::queued}}}).value();
    REQUIRE(waiting.size() >= 1);
    for (const Job& job : waiting) CHECK(job.attempts == 0);
    CHECK(counts().failed == 0);
    tei.conduct.faults.for_word("", test::Fault::none);
    REQUIRE(run());
    CHECK(facts().vectors == 21);
}

TEST_CASE_FIXTURE(ServicePlace,
                  "a key that is refused keeps pages waiting and says which setting to look at") {
    put("https://a.example/p", "Words.");
    tei.conduct.faults.always(test::Fault::refuse_key);

    REQUIRE(run());

    CHECK(counts().pending == 1);
    CHECK(counts().last_error.find("embedding.tei_key") != std::string::npos);
}

TEST_CASE_FIXTURE(ServicePlace, "a chunk that the service calls too long is cut, and nothing of it is lost") {
    std::string words;
    for (int i = 0; i < 300; ++i) words += fmt::format("supercalifragilistic{} ", i);
    put("https://a.example/long", words);
    put_many(5);

    REQUIRE(run());

    CHECK(counts().completed == 6);
    CHECK(found("supercalifragilistic0").front() == "https://a.example/long");
    CHECK(found("supercalifragilistic299").front() == "https://a.example/long");
}

TEST_CASE_FIXTURE(ServicePlace, "a service that changed its model is a conflict that names the way out") {
    put("https://a.example/p", "Words.");
    REQUIRE(run());
    tei.set_model({.id = "another/model", .sha = "1", .dimensions = 32});
    put("https://a.example/q", "More words.");

    REQUIRE(run());

    CHECK(counts().pending == 1);
    CHECK(counts().last_error.find("quarry reindex") != std::string::npos);
    CHECK(facts().embedder.dimensions == 64);
}

TEST_CASE_FIXTURE(ServicePlace, "vectors of other dimensions never enter the index") {
    put("https://a.example/known", "The service is known by now.");
    REQUIRE(run());
    tei.conduct.faults.always(test::Fault::wrong_dimensions);
    put("https://a.example/p", "Words.");

    REQUIRE(run());

    CHECK(facts().vectors == 1);
    CHECK(counts().pending == 1);
    CHECK_FALSE(counts().last_error.empty());
}

TEST_CASE_FIXTURE(ServicePlace, "a page that changes while it is embedded ends with its new words") {
    put("https://a.example/p", "The old words.");
    std::jthread writer([&] {
        while (tei.conduct.served() == 0) std::this_thread::yield();
        put("https://a.example/p", "The fresh words.");
    });
    REQUIRE(run());
    writer.join();

    REQUIRE(run());

    CHECK(found("old").empty());
    CHECK(found("fresh") == Urls{"https://a.example/p"});
    CHECK(facts().chunks == 1);
}

TEST_CASE_FIXTURE(ServicePlace, "a page somebody waits for comes before a bulk import") {
    put_many(600);
    put("https://a.example/urgent", "Needed now.", priority_high);
    const auto first = store->register_worker("first").value();

    const auto leased = store->lease({.worker = first, .changes = 1}).value();

    REQUIRE(leased.changes.size() == 1);
    CHECK(leased.changes.front().url == "https://a.example/urgent");
}

}  // namespace
}  // namespace quarry::work
