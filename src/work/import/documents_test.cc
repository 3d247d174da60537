#include "work/import/documents.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "servers/temporary_folder.h"

using namespace quarry;
using namespace quarry::work;

namespace {

// A file with this content, open to be read.
class Lines {
public:
    explicit Lines(const std::string& content)
        : descriptor_(open(folder_.write("lines", content).c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~Lines() { close(descriptor_); }

    int descriptor() const { return descriptor_; }

private:
    test::TemporaryFolder folder_;
    int descriptor_;
};

// Each line as it is given, or the error's words.
std::vector<std::string> lines_of(const std::string& content, std::size_t longest_line = 1'000) {
    const Lines file(content);
    LineReader reader(file.descriptor(), longest_line);
    std::vector<std::string> lines;
    while (true) {
        const auto line = reader.next();
        if (line && !*line) return lines;
        lines.push_back(line ? std::string(**line) : line.error().message);
    }
}

}  // namespace

TEST_CASE("a file is cut into lines") {
    using Lines = std::vector<std::string>;
    CHECK(lines_of("").empty());
    CHECK(lines_of("a") == Lines{"a"});
    CHECK(lines_of("a\n") == Lines{"a"});
    CHECK(lines_of("a\n\nb\n") == Lines{"a", "", "b"});
    CHECK(lines_of("\n") == Lines{""});
}

TEST_CASE("a line that is too long is skipped whole, and the lines after it are read") {
    const std::string fits(1'000, 'a'), too_long(3'000'000, 'b');

    const auto lines = lines_of(fits + "\n" + too_long + "\nshort\n" + too_long);

    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == fits);
    CHECK(lines[1].starts_with("is longer than"));
    CHECK(lines[2] == "short");
    CHECK(lines[3].starts_with("is longer than"));
}

TEST_CASE("lines longer than what is read at once come whole") {
    std::string content;
    for (const int megabytes : {1, 3, 2, 5}) content += std::string(megabytes * 1'000'003, 'x') + "\n";

    const auto lines = lines_of(content, 64 << 20);

    REQUIRE(lines.size() == 4);
    CHECK(lines[3] == std::string(5'000'015, 'x'));
}

TEST_CASE("a folder instead of a file is an error once") {
    const test::TemporaryFolder folder;
    const int descriptor = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    LineReader reader(descriptor);

    CHECK(reader.next().error().code == ErrorCode::unavailable);
    CHECK(reader.next().value() == std::nullopt);
    close(descriptor);
}

TEST_CASE("a line of JSON becomes a document") {
    struct Row {
        const char* line;
        const char *url, *id, *title, *markdown;
    };
    const Row rows[] = {
        {R"({"_id":"7","title":"T","text":"words"})", "7", "", "T", "words"},
        {R"({"_id":7,"text":"words"})", "7", "", "", "words"},
        {R"({"id":"a b","text":"words"})", "a b", "", "", "words"},
        {R"({"url":"https://a.example/","text":"words"})", "https://a.example/", "", "", "words"},
        {R"({"_id":"7","url":"https://a.example/","text":"w"})", "https://a.example/", "7", "", "w"},
        {R"({"_id":"7","markdown":"# M","text":"plain"})", "7", "", "", "# M"},
        {R"({"_id":"7","title":"only a title","text":" "})", "7", "", "only a title", "only a title"},
        {R"({"_id":"7","text":"é\n\"x\"","other":[1,{}]})", "7", "", "", "é\n\"x\""},
        {R"({"_id":"","url":"u","text":"words"})", "u", "", "", "words"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const auto document = parse_document_line(row.line);
        REQUIRE(document);
        CHECK(document->url == row.url);
        CHECK(document->id == row.id);
        CHECK(document->title == row.title);
        CHECK(document->markdown == row.markdown);
    }
}

TEST_CASE("language and metadata of a line are kept; a missing language is told from the words") {
    const auto said = parse_document_line(
        R"({"_id":"1","text":"Guten Tag","language":"EN_us","metadata":{"year":2020,"tags":["a"]}})");
    const auto told = parse_document_line(
        R"({"_id":"1","text":"Die Katze schläft den ganzen Tag auf dem warmen Ofen und träumt von Mäusen."})");

    CHECK(said.value().language == "en-US");
    CHECK(boost::json::serialize(said.value().metadata) == R"({"year":2020,"tags":["a"]})");
    CHECK(told.value().language == "de");
}

TEST_CASE("metadata that could not be read again is refused") {
    const auto page = [](int levels) {
        boost::json::value nested = 1;
        for (int level = 0; level < levels - 1; ++level) nested = boost::json::array{std::move(nested)};
        return boost::json::object{{"url", "https://a.example/"}, {"metadata", {{"a", std::move(nested)}}}};
    };

    CHECK(parse_import_document(page(31)));
    CHECK(parse_import_document(page(32)).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a line that is no document says why") {
    const std::pair<std::string, const char*> rows[] = {
        {"{", "is no JSON object"},
        {"[1]", "is no JSON object"},
        {"\"text\"", "is no JSON object"},
        {R"({"_id":"1","text":"a"} trailing)", "is no JSON object"},
        {"{\"_id\":\"1\",\"text\":\"\xFF\"}", "is no JSON object"},
        {std::string(100'000, '['), "is no JSON object"},
        {R"({"text":"words"})", "has neither"},
        {R"({"_id":null,"text":"words"})", "has neither"},
        {R"({"_id":"1"})", "has no words"},
        {R"({"_id":"1","title":"  ","text":"\n"})", "has no words"},
        {R"({"_id":"1","text":["words"]})", "has no words"},
    };
    for (const auto& [line, words] : rows) {
        CAPTURE(line.substr(0, 60));
        const auto document = parse_document_line(line);
        REQUIRE_FALSE(document);
        CHECK(document.error().message.starts_with(words));
    }
}

TEST_CASE("a file of lines gives its documents, and names the lines that are none") {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("corpus.jsonl",
                                          "\xEF\xBB\xBF{\"_id\":\"1\",\"text\":\"one\"}\r\n"
                                          "\n"
                                          "broken\n"
                                          "{\"_id\":\"2\",\"text\":\"two\"}");
    const auto source = open_lines(path).value();

    CHECK(source->next()->value().url == "1");
    const auto broken = source->next();
    REQUIRE_FALSE(*broken);
    CHECK(broken->error().message.starts_with(path + ": line 3 is no JSON object"));
    const auto second = source->next();
    CHECK(second->value().url == "2");
    CHECK(second->value().body_bytes == 24);
    CHECK_FALSE(source->next());
    CHECK_FALSE(source->next());
}

TEST_CASE("a file of lines that is not there is not found") {
    CHECK(open_lines("/nowhere/corpus.jsonl").error().code == ErrorCode::not_found);
}
