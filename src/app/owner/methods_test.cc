// What can be asked by name, against a real store.
#include "app/owner/methods.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "app/data_source.h"
#include "crawl/options/options.h"
#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::app;
using quarry::test::TemporaryFolder;
namespace json = boost::json;

namespace {

class MethodsTest {
public:
    MethodsTest()
        : place_{.folder = {folder_.path()}, .settings = Settings::load({}).value(), .version = "1"},
          store_(open_store(place_).value()),
          reader_(open_reader(place_).value()) {}

    Result<json::value> ask(const std::string& method, const json::object& params) {
        return perform(*store_, method, params);
    }
    GroupId crawl(const std::string& url) {
        const auto options = to_json(crawl::CrawlOptions{.urls = {url}});
        return GroupId{ask("crawl", options).value().at("group").to_number<std::int64_t>()};
    }
    JobState state(GroupId group) { return reader_->group(group).value().state; }
    store::Reader& reader() { return *reader_; }
    const DataSource& place() const { return place_; }

private:
    TemporaryFolder folder_;
    DataSource place_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<store::Reader> reader_;
};

}  // namespace

TEST_CASE_FIXTURE(MethodsTest, "a crawl is begun with the options it was asked for") {
    const GroupId id = crawl("https://a.example/docs/");

    const Group group = reader().group(id).value();
    CHECK(group.name == "https://a.example/docs/");
    CHECK(group.state == JobState::running);
    CHECK(group.page_limit == 10'000);
    CHECK(has_work(reader()).value());
}

TEST_CASE_FIXTURE(MethodsTest, "a crawl is paused, resumed, put first and cancelled") {
    const GroupId id = crawl("https://a.example/");
    const json::object group{{"group", number(id)}};

    CHECK(ask("pause", group));
    CHECK(state(id) == JobState::paused);
    CHECK(ask("resume", group));
    CHECK(state(id) == JobState::running);
    CHECK(ask("reprioritise", {{"group", number(id)}, {"priority", 1}}));
    CHECK(reader().group(id).value().priority == 1);
    CHECK(ask("cancel", group));
    CHECK(state(id) == JobState::cancelled);
    CHECK(ask("cancel", group).error().code == ErrorCode::conflict);
    CHECK_FALSE(has_work(reader()).value());
}

TEST_CASE_FIXTURE(MethodsTest, "a paused crawl is no work, a schedule is") {
    const GroupId id = crawl("https://a.example/");
    REQUIRE(ask("pause", {{"group", number(id)}}));
    CHECK_FALSE(has_work(reader()).value());

    const json::object options = to_json(crawl::CrawlOptions{.urls = {"https://b.example/"}});
    REQUIRE(ask("schedule", {{"name", "b"}, {"cron", "@daily"}, {"options", options}}));
    CHECK(has_work(reader()).value());
    CHECK(reader().schedules().value().at(0).name == "b");
    CHECK(ask("unschedule", {{"name", "b"}}).value().at("removed") == true);
    CHECK(ask("unschedule", {{"name", "b"}}).value().at("removed") == false);
    CHECK_FALSE(has_work(reader()).value());
}

TEST_CASE_FIXTURE(MethodsTest, "jobs are counted as they change") {
    const GroupId id = crawl("https://a.example/");

    const auto paused = ask("pause_jobs", {{"kind", "read_sitemap"}, {"group", number(id)}});
    const auto cleared = ask("clear_jobs", {{"kind", "nothing_of_this_kind"}});

    CHECK(paused.value().at("count") == 1);
    CHECK(cleared.value().at("count") == 0);
}

TEST_CASE_FIXTURE(MethodsTest, "what cannot be is refused in a sentence") {
    struct Row {
        const char* method;
        const char* params;
        ErrorCode code;
    };
    const Row rows[] = {
        {"fly", "{}", ErrorCode::unsupported},
        {"pause", "{}", ErrorCode::invalid_argument},
        {"pause", R"({"group":"7"})", ErrorCode::invalid_argument},
        {"pause", R"({"group":777})", ErrorCode::not_found},
        {"reprioritise", R"({"group":1})", ErrorCode::invalid_argument},
        {"backup", "{}", ErrorCode::invalid_argument},
        {"crawl", "{}", ErrorCode::invalid_argument},
        {"crawl", R"({"url":"ftp://a.example/"})", ErrorCode::invalid_argument},
        {"clear_jobs", R"({"sate":["failed"]})", ErrorCode::invalid_argument},
        {"schedule", R"({"name":"x","cron":"@daily"})", ErrorCode::invalid_argument},
    };
    for (const Row& row : rows) {
        CAPTURE(row.method);
        CAPTURE(row.params);
        const auto answer = ask(row.method, json::parse(row.params).as_object());
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == row.code);
        CHECK_FALSE(answer.error().message.empty());
    }
}

TEST_CASE("without an owner a question is answered in this process, which leaves no lock behind") {
    const TemporaryFolder folder;
    const DataSource place{
        .folder = {folder.file("data")}, .settings = Settings::load({}).value(), .version = "1"};

    const auto options = to_json(crawl::CrawlOptions{.urls = {"https://a.example/"}});
    const auto asked = ask(place, "crawl", options);

    REQUIRE(asked);
    CHECK_FALSE(asked->by_owner);
    CHECK(FolderLock::take(place.folder, "1"));
    CHECK(open_reader(place).value()->groups({}).value().size() == 1);
}

TEST_CASE("settings that cannot work are named") {
    const TemporaryFolder folder;
    const DataSource place{.folder = {folder.path()},
                           .settings = Settings::load({.flags = {{"store.durability", "maybe"}}}).value(),
                           .version = "1"};

    const auto store = open_store(place);

    REQUIRE_FALSE(store);
    CHECK(store.error().message.find("store.durability") != std::string::npos);
}
