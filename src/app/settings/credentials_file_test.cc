#include "app/settings/credentials_file.h"

#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::app;

namespace {

struct CredentialsFile {
    std::string written(const std::string& text) const {
        const std::string path = folder.write("credentials.toml", text);
        chmod(path.c_str(), 0600);
        return path;
    }
    std::string refusal(const std::string& text) const {
        const auto read = read_credentials(written(text));
        REQUIRE_FALSE(read);
        return read.error().message;
    }

    test::TemporaryFolder folder;
};

std::string sent_to(const fetch::Credentials& credentials, std::string_view address, std::string_view owner) {
    std::vector<Header> headers;
    credentials.add_to(headers, url::Url::parse(address).value(), owner);
    return std::string(header_value(headers, "Authorization"));
}

}  // namespace

TEST_CASE_FIXTURE(CredentialsFile, "a file names origins, what is sent to each, and whose requests get it") {
    const std::string token = folder.write("token", "from-a-file\r\n");
    const auto read = read_credentials(written(fmt::format(
        "[\"https://wiki.example\"]\nbearer_token_file = \"{}\"\n"
        "[\"http://10.0.0.7:8080\"]\nbasic_auth = \"anna:pass:word\"\nowners = [\"local\", \"team-a\"]\n"
        "[\"https://open.example/\"]\nbearer_token = \"x\"\nowners = [\"*\"]\n",
        token)));

    REQUIRE_MESSAGE(read, read.error().message);
    CHECK(sent_to(*read, "https://wiki.example/page", "local") == "Bearer from-a-file");
    CHECK(sent_to(*read, "https://wiki.example/page", "team-a") == "");
    CHECK(sent_to(*read, "http://10.0.0.7:8080/", "team-a") == "Basic YW5uYTpwYXNzOndvcmQ=");
    CHECK(sent_to(*read, "http://10.0.0.7/", "team-a") == "");
    CHECK(sent_to(*read, "https://open.example/", "team-z") == "Bearer x");
}

TEST_CASE_FIXTURE(CredentialsFile, "what is wrong with a file of credentials is said, without its secrets") {
    struct Row {
        std::string text, sentence;
    };
    const Row rows[] = {
        {"[\"wiki.example\"]\nbearer_token = \"s3cret\"\n", "is no origin"},
        {"[\"https://wiki.example/docs\"]\nbearer_token = \"s3cret\"\n", "write \"https://wiki.example\""},
        {"[\"https://a:s3cret@wiki.example\"]\nbearer_token = \"x\"\n", "more than an origin"},
        {"[\"https://wiki.example\"]\n", "needs bearer_token or basic_auth"},
        {"[\"https://wiki.example\"]\nbasic_auth = \"s3cret\"\n", "USER:PASSWORD"},
        {"[\"https://wiki.example\"]\ntoken = \"s3cret\"\n", "has no \"token\""},
        {"[\"https://wiki.example\"]\nbearer_token = \"s3cret\"\nbasic_auth = \"a:s3cret\"\n",
         "more than one"},
        {"[\"https://wiki.example\"]\nbearer_token = \"s3cret\\r\\nX: y\"\n", "line break"},
        {"[\"https://wiki.example\"]\nbearer_token = \"s3cret\"\nowners = \"team\"\n", "owners"},
        {"[\"https://wiki.example\"]\nbearer_token = \"s3cret\"\nowners = [\"a b\"]\n", "a b"},
        {"[\"https://wiki.example\"]\nbearer_token_file = \"/nonexistent\"\n", "/nonexistent"},
        {"[\"https://wiki.example\"\n", "line 1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const std::string said = refusal(row.text);
        CHECK_MESSAGE(said.contains(row.sentence), said);
        CHECK(said.contains("credentials.toml"));
        if (!row.text.starts_with("[\"https://a:")) CHECK_FALSE(said.contains("s3cret"));
    }
}

TEST_CASE_FIXTURE(CredentialsFile, "a file of credentials that everybody can read is refused") {
    const std::string path = written("[\"https://wiki.example\"]\nbearer_token = \"s3cret\"\n");
    chmod(path.c_str(), 0644);

    const auto read = read_credentials(path);

    REQUIRE_FALSE(read);
    CHECK(read.error().message.contains("chmod 600"));
}
