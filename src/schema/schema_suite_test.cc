// The official JSON-Schema-Test-Suite for draft 2020-12. It is not part of the repository.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "schema/schema.h"

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

const fs::path suite = QUARRY_SUITES "/suites/json-schema";

json::value read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    json::parse_options options;
    options.max_depth = 128;
    return json::parse(text.str(), {}, options);
}

// What the suite's own runners serve at http://localhost:1234/.
std::vector<json::value> remote_documents() {
    std::vector<json::value> documents;
    const fs::path folder = suite / "remotes/draft2020-12";
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        // Meta-schemas refer to parts of the draft's own, which nobody hands over.
        if (entry.path().filename().string().starts_with("metaschema") ||
            entry.path().filename().string().starts_with("format-assertion"))
            continue;
        json::value document = read(entry.path());
        const std::string address =
            "http://localhost:1234/draft2020-12/" + fs::relative(entry.path(), folder).generic_string();
        json::object& object = document.as_object();
        const json::value* id = object.if_contains("$id");
        // One that names itself otherwise is reached by both names.
        if (id == nullptr)
            object["$id"] = address;
        else if (id->as_string() != address)
            documents.push_back(json::object{{"$id", address}, {"$ref", *id}});
        documents.push_back(std::move(document));
    }
    return documents;
}

struct Score {
    std::size_t right = 0, wrong = 0, skipped = 0;
};

void run_group(const json::object& group, const std::vector<json::value>& remotes, Score& score) {
    const auto schema = quarry::schema::Schema::parse(group.at("schema"), remotes);
    for (const json::value& test : group.at("tests").as_array()) {
        const auto problems = schema ? schema->check(test.at("data")) : std::unexpected(schema.error());
        const bool is_right = problems && problems->empty() == test.at("valid").as_bool();
        (is_right ? score.right : score.wrong) += 1;
        CHECK_MESSAGE(is_right, std::string(group.at("description").as_string())
                                    << ": " << std::string(test.at("description").as_string()) << " "
                                    << (problems ? "" : problems.error().message));
    }
}

// Groups that ask for what schema.h does not promise.
const std::set<std::string_view> not_promised = {
    // Switches keywords off by naming another $schema.
    "schema that uses custom metaschema with with no validation vocabulary",
};

}  // namespace

TEST_CASE("every case of the official suite is judged as it should be") {
    if (!fs::exists(suite)) {
        MESSAGE("skipped: no " << suite.string());
        return;
    }
    const std::vector<json::value> remotes = remote_documents();
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(suite / "tests/draft2020-12"))
        if (entry.is_regular_file()) files.push_back(entry.path());
    for (const char* name : {"anchor", "bignum", "dynamicRef", "float-overflow", "id", "no-schema",
                             "non-bmp-regex", "refOfUnknownKeyword", "unknownKeyword"})
        files.push_back(suite / "tests/draft2020-12/optional" / (std::string(name) + ".json"));

    Score score;
    for (const fs::path& file : files) {
        CAPTURE(file.filename().string());
        const json::value groups = read(file);
        for (const json::value& group : groups.as_array()) {
            const json::object& object = group.as_object();
            if (not_promised.contains(object.at("description").as_string()))
                score.skipped += object.at("tests").as_array().size();
            else
                run_group(object, remotes, score);
        }
    }

    MESSAGE(score.right << " right, " << score.wrong << " wrong, " << score.skipped << " not promised");
    CHECK(score.right > 1'200);
}
