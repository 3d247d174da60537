#include "store/sqlite/writer.h"

#include <filesystem>
#include <future>
#include <latch>
#include <thread>

#include <doctest/doctest.h>

#include "servers/temporary_folder.h"

namespace quarry::store {

namespace {

// A book of one number, kept beside a table of numbers: its sum.
class SumBook : public Writer::Book {
public:
    explicit SumBook(db::Connection& connection) : connection_(connection) {}

    Result<void> before_commit() override {
        ++commits;
        return {};
    }
    void after_commit() override {}
    Result<void> rebuild() override {
        ++rebuilds;
        sum = TRY(connection_.integer("SELECT coalesce(sum(n), 0) FROM numbers")).value_or(0);
        return {};
    }

    std::int64_t sum = 0;
    int commits = 0;
    int rebuilds = 0;

private:
    db::Connection& connection_;
};

struct Fixture {
    test::TemporaryFolder folder;
    db::Connection connection = db::Connection::open(folder.file("numbers.db"), db::Access::create).value();
    SumBook book{connection};
    std::unique_ptr<Writer> writer;

    Fixture() {
        REQUIRE(connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE numbers(n INTEGER UNIQUE)"));
        writer = std::make_unique<Writer>(connection, book, true);
    }

    // Adds a number, which fails if it is there already. The book is changed first, as an operation's memory
    // may be.
    Answer<std::int64_t> insert(std::int64_t number) {
        book.sum += number;
        TRY(connection.execute("INSERT INTO numbers VALUES (" + std::to_string(number) + ")"));
        return book.sum;
    }
    Result<std::int64_t> add(std::int64_t number) {
        return writer->call<std::int64_t>(Sync::before, 1, [&] { return insert(number); });
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a call returns what its operation gave, after the commit") {
    CHECK(add(1).value() == 1);
    CHECK(add(2).value() == 3);
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_FIXTURE(Fixture, "a refusal reaches the caller and rolls nothing back") {
    const auto refused = writer->call<int>(
        Sync::before, 1, [] { return refuse<int>(ErrorCode::conflict, "there is no room"); });

    CHECK(refused.error().message == "there is no room");
    CHECK(book.rebuilds == 0);
}

TEST_CASE_FIXTURE(Fixture, "an operation that fails leaves no trace in the database nor in the book") {
    REQUIRE(add(5));

    CHECK_FALSE(add(5));

    CHECK(add(6).value() == 11);
    CHECK(book.rebuilds == 1);
}

TEST_CASE_FIXTURE(Fixture, "when one of a batch fails, only that one does") {
    std::promise<void> gate;
    std::atomic<int> applied = 0, failed = 0;
    std::latch answered(11);
    const auto count = [&](Result<void> committed) {
        (committed ? applied : failed)++;
        answered.count_down();
    };
    // The first keeps the writer busy until the others wait behind it.
    writer->submit({.apply = [&, opened = gate.get_future().share()]() -> Result<void> {
                        opened.wait();
                        return {};
                    },
                    .answer = count});
    for (int number = 0; number < 10; ++number) {
        writer->submit({.apply = [this, number]() -> Result<void> {
                            TRY(insert(number == 7 ? 3 : number));  // 3 is there already
                            return {};
                        },
                        .answer = count});
    }
    gate.set_value();
    answered.wait();

    CHECK(applied == 10);
    CHECK(failed == 1);
    CHECK(add(100).value() == 100 + 45 - 7);
}

TEST_CASE_FIXTURE(Fixture, "what waits together is committed together") {
    std::promise<void> gate;
    std::latch answered(101);
    writer->submit({.apply = [&, opened = gate.get_future().share()]() -> Result<void> {
                        opened.wait();
                        return {};
                    },
                    .answer = [&](Result<void>) { answered.count_down(); }});
    for (int number = 0; number < 100; ++number) {
        writer->submit({.apply = [this, number]() -> Result<void> {
                            TRY(insert(number));
                            return {};
                        },
                        .answer = [&](Result<void>) { answered.count_down(); }});
    }
    gate.set_value();
    answered.wait();

    CHECK(book.commits <= 3);
}

TEST_CASE_FIXTURE(Fixture, "what is queued when the writer ends is still done") {
    std::atomic<int> answered = 0;
    for (int number = 0; number < 50; ++number) {
        writer->submit({.apply = [this, number]() -> Result<void> {
                            TRY(insert(number));
                            return {};
                        },
                        .answer = [&](Result<void>) { ++answered; }});
    }

    writer.reset();

    CHECK(answered == 50);
    CHECK(connection.integer("SELECT count(*) FROM numbers").value() == 50);
}

TEST_CASE_FIXTURE(Fixture, "many callers at once all get their own answers") {
    std::vector<std::future<int>> callers;
    for (int caller = 0; caller < 8; ++caller) {
        callers.push_back(std::async(std::launch::async, [this, caller] {
            int wrong = 0;
            for (int count = 0; count < 50; ++count) {
                const int number = caller * 50 + count;
                const auto answer = writer->call<int>(Sync::before, 1, [&]() -> Answer<int> {
                    TRY(insert(number));
                    return number;
                });
                wrong += answer.value() == number ? 0 : 1;
            }
            return wrong;
        }));
    }

    int wrong = 0;
    for (auto& caller : callers) wrong += caller.get();
    CHECK(wrong == 0);
    CHECK(book.sum == 399 * 400 / 2);
}

// If each commit waited for the reader, this would take most of an hour.
TEST_CASE_FIXTURE(Fixture,
                  "a reader that keeps its snapshot holds nobody up, and the log is emptied after it") {
    REQUIRE(add(0));
    auto reader = db::Connection::open(folder.file("numbers.db"), db::Access::read_only).value();
    REQUIRE(reader.execute("BEGIN; SELECT count(*) FROM numbers"));
    REQUIRE(add(1));
    writer->empty_log();

    for (int number = 2; number < 500; ++number) REQUIRE(add(number));

    const auto log_bytes = [&] { return std::filesystem::file_size(folder.file("numbers.db-wal")); };
    CHECK(log_bytes() > 0);
    REQUIRE(reader.execute("COMMIT"));
    while (log_bytes() > 0) std::this_thread::yield();
}

}  // namespace quarry::store
