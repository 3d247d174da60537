#include "app/settings/settings.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

using namespace quarry;
using namespace quarry::app;
using namespace std::chrono_literals;

namespace {

// A file that lives as long as the test.
class File {
public:
    explicit File(const std::string& text)
        : path_(std::filesystem::temp_directory_path() /
                ("quarry-settings-" + std::to_string(getpid()) + "-" + std::to_string(next_++))) {
        std::ofstream(path_) << text;
    }
    ~File() { std::filesystem::remove(path_); }
    std::string path() const { return path_; }

private:
    static inline int next_ = 0;
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("without any source every setting has its default and says so") {
    const Settings settings = Settings::load({}).value();

    CHECK(settings.duration("fetch.timeout") == 60s);
    CHECK(settings.number("scrape.concurrency") == 5);
    CHECK_FALSE(settings.yes("fetch.allow_private"));
    CHECK(settings.value("fetch.timeout").origin == "default");
}

TEST_CASE("every default in the table has the shape of its kind") {
    for (const SettingDefinition& definition : setting_table()) {
        CAPTURE(definition.key);
        CHECK(Settings::load({.flags = {{std::string(definition.key), std::string(definition.standard)}}}));
    }
}

TEST_CASE("a flag beats the environment, which beats the file, which beats the default") {
    const File file("[fetch]\ntimeout = 1\nconnect_timeout = \"2s\"\nretries = 4\n");
    const Settings settings = Settings::load({.config_file = file.path(),
                                              .environment = {{"QUARRY_FETCH_TIMEOUT", "20s"},
                                                              {"QUARRY_FETCH_CONNECT_TIMEOUT", "30s"}},
                                              .flags = {{"fetch.timeout", "40s"}}})
                                  .value();

    CHECK(settings.duration("fetch.timeout") == 40s);
    CHECK(settings.value("fetch.timeout").origin == "flag");
    CHECK(settings.duration("fetch.connect_timeout") == 30s);
    CHECK(settings.value("fetch.connect_timeout").origin == "QUARRY_FETCH_CONNECT_TIMEOUT");
    CHECK(settings.number("fetch.retries") == 4);
    CHECK(settings.value("fetch.retries").origin == file.path());
    CHECK(settings.number("scrape.concurrency") == 5);
}

TEST_CASE("services are known by the variables that other programs know them by") {
    const Settings settings =
        Settings::load({.environment = {{"TEI_URL", "http://tei.example:52000"},
                                        {"QDRANT_URL", "http://qdrant.example:52001"},
                                        {"REDIS_URL", "redis://redis.example:53379"},
                                        {"OPENAI_BASE_URL", "http://openai.example"},
                                        {"QUARRY_INDEX_QDRANT_URL", "http://own.example"}}})
            .value();

    CHECK(settings.text("embedding.tei_url") == "http://tei.example:52000");
    CHECK(settings.text("store.redis_url") == "redis://redis.example:53379");
    CHECK(settings.text("embedding.openai_url") == "http://openai.example");
    CHECK(settings.text("index.qdrant_url") == "http://own.example");  // our own name wins
}

TEST_CASE("an unknown key in the file is an error with a suggestion") {
    const File file("[fetch]\ntimeuot = 3\n");

    const auto settings = Settings::load({.config_file = file.path()});

    REQUIRE_FALSE(settings);
    CHECK(settings.error().code == ErrorCode::invalid_argument);
    CHECK(settings.error().message.find("did you mean \"fetch.timeout\"?") != std::string::npos);
}

TEST_CASE("a value of the wrong shape names its key and its source") {
    const auto settings = Settings::load({.environment = {{"QUARRY_FETCH_TIMEOUT", "soon"}}});

    REQUIRE_FALSE(settings);
    CHECK(settings.error().message.find("fetch.timeout (QUARRY_FETCH_TIMEOUT)") != std::string::npos);
}

TEST_CASE("a file that is not TOML is refused with the line") {
    const File file("[fetch]\ntimeout = = 3\n");

    const auto settings = Settings::load({.config_file = file.path()});

    REQUIRE_FALSE(settings);
    CHECK(settings.error().message.find(file.path() + ":2:") != std::string::npos);
}

TEST_CASE("a configuration file that was asked for must exist, the default one need not") {
    CHECK_FALSE(Settings::load({.config_file = "/nonexistent/quarry.toml"}));
    CHECK(Settings::load({.environment = {{"HOME", "/nonexistent"}}}));
}

TEST_CASE("variables of scripts around the program are left alone") {
    CHECK(Settings::load({.environment = {{"QUARRY_ARGS", "--full-page"}, {"QUARRY", "./quarry"}}}));
}

TEST_CASE("secrets are masked when shown, and can come from a file") {
    const File token("s3cret\n");
    const Settings settings =
        Settings::load({.environment = {{"QUARRY_FETCH_BEARER_TOKEN_FILE", token.path()}},
                        .flags = {{"fetch.proxy", "http://user:pass@proxy:3128"}}})
            .value();

    CHECK(settings.text("fetch.bearer_token") == "s3cret");
    CHECK(settings.masked("fetch.bearer_token") == "********");
    CHECK(settings.masked("fetch.proxy") == "http://user:********@proxy:3128");
    CHECK(settings.masked("fetch.basic_auth").empty());
}

TEST_CASE("a password in an address is masked wherever it stands") {
    struct Row {
        const char* url;
        const char* shown;
    };
    const Row rows[] = {
        {"postgres://ann:secret@db/app", "postgres://ann:********@db/app"},
        {"postgres://db/app?user=ann&password=secret&sslmode=require",
         "postgres://db/app?user=ann&password=********&sslmode=require"},
        {"postgres://ann@db/app?sslpassword=secret", "postgres://ann@db/app?sslpassword=********"},
        {"postgres://db/app?%70assword=secret", "postgres://db/app?%70assword=********"},
        {"postgres://db/app?PASSWORD=secret", "postgres://db/app?PASSWORD=********"},
        {"postgres://ann:sec?ret@db/app", "postgres://ann:********@db/app"},
        {"postgres://ann:secret@db/app?password=more", "postgres://ann:********@db/app?password=********"},
        {"postgres://db:6000,other:6001/app?target_session_attrs=any",
         "postgres://db:6000,other:6001/app?target_session_attrs=any"},
        {"postgres:///app", "postgres:///app"},
        {"", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.url);
        const Settings settings = Settings::load({.flags = {{"store.url", row.url}}}).value();
        CHECK(settings.masked("store.url") == row.shown);
    }
}

TEST_CASE("a list may be an array in the file or separated by commas elsewhere") {
    const File file("[fetch]\nallowed_networks = [\"10.0.0.0/8\", \"fd00::/8\"]\n");

    const Settings from_file = Settings::load({.config_file = file.path()}).value();
    const Settings from_flag =
        Settings::load({.flags = {{"fetch.allowed_networks", "10.0.0.0/8, fd00::/8"}}}).value();

    CHECK(from_file.list("fetch.allowed_networks") == std::vector<std::string>{"10.0.0.0/8", "fd00::/8"});
    CHECK(from_flag.list("fetch.allowed_networks") == from_file.list("fetch.allowed_networks"));
}

TEST_CASE("the data folder's variable has a short name, and the long one wins") {
    const auto data = [](std::map<std::string, std::string, std::less<>> environment) {
        return Settings::load({.environment = std::move(environment)}).value().value("store.data");
    };

    CHECK(data({{"QUARRY_DATA", "/a"}}).text == "/a");
    CHECK(data({{"QUARRY_DATA", "/a"}}).origin == "QUARRY_DATA");
    CHECK(data({{"QUARRY_DATA", "/a"}, {"QUARRY_STORE_DATA", "/b"}}).text == "/b");
}
