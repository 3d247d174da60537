// Pages and servers that mean harm: each costs one clear sentence, bounded time and bounded memory, and never
// the other URLs of the same command.
#include <cstdio>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/run_quarry.h"

using namespace quarry::test;

namespace {

std::string repeat(const std::string& part, int times) {
    std::string out;
    out.reserve(part.size() * static_cast<std::size_t>(times));
    for (int i = 0; i < times; ++i) out += part;
    return out;
}

std::string numbered(const std::string& before, const std::string& after, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += before + std::to_string(i) + after;
    return out;
}

// The hostile server, as a process of its own, which prints its port and dies with its standard input.
class HostileServer {
public:
    HostileServer() {
        int in[2], out[2];
        if (pipe(in) != 0 || pipe(out) != 0) return;
        process_ = fork();
        if (process_ == 0) {
            dup2(in[0], 0);
            dup2(out[1], 1);
            for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
            execl(QUARRY_HOSTILE_SERVER, "hostile_server", static_cast<char*>(nullptr));
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        keep_alive_ = in[1];
        FILE* stream = fdopen(out[0], "r");
        if (std::fscanf(stream, "%d", &port_) != 1) port_ = 0;
        std::fclose(stream);
    }
    ~HostileServer() {
        close(keep_alive_);
        kill(process_, SIGTERM);
        waitpid(process_, nullptr, 0);
    }
    HostileServer(const HostileServer&) = delete;
    HostileServer& operator=(const HostileServer&) = delete;

    int port() const { return port_; }
    std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }

private:
    pid_t process_ = -1;
    int keep_alive_ = -1;
    int port_ = 0;
};

constexpr long memory_limit_kilobytes = 300 * 1024;

}  // namespace

TEST_CASE("text before and after a hostile part still comes out, in bounded memory") {
    const std::string before = "<!doctype html><title>t</title><article><p>" +
                               repeat("Before the hostile part there are ordinary words. ", 8) + "</p>";
    const std::string after =
        "<p>" + repeat("After the hostile part there are ordinary words again. ", 8) + "</p>";
    const std::pair<const char*, std::string> parts[] = {
        {"deep_div", repeat("<div>", 300'000)},
        {"deep_font", repeat("<b><i><font>", 10'000) + repeat("<p>", 1'000)},
        {"formatting_clones", numbered("<font color=c", ">", 5'000) + repeat("<p>x", 5'000)},
        {"end_tags_over_deep_stack", repeat("<span>", 500) + repeat("</i>", 300'000)},
        {"attributes", "<div" + numbered(" a", "=1", 100'000) + ">"},
        {"big_attribute", "<div x=\"" + std::string(5'000'000, 'y') + "\">"},
        {"nested_tables", repeat("<table>", 50'000)},
        {"table_text", "<table>" + repeat("x<tr>", 50'000)},
        {"links_in_formatting", repeat("<a href=x><b><i><p>", 10'000)},
        {"less_than", std::string(1'000'000, '<')},
        {"ampersands", std::string(1'000'000, '&')},
        {"comments", repeat("<!--", 200'000) + "-->"},
        {"templates", repeat("<template>", 50'000) + repeat("</template>", 50'000)},
        {"foreign", repeat("<svg><foreignObject>", 20'000) + repeat("<math><mi>", 20'000)},
        {"selects", repeat("<select><option>", 50'000)},
        {"lists", repeat("<ul><li>", 50'000)},
        {"unknown_tags", numbered("<x", ">", 100'000)},
        {"colspans", repeat("<table><tr><td colspan=100000 rowspan=100000>x", 2'000)},
    };
    const TemporaryFolder folder;
    for (const auto& [name, part] : parts) {
        CAPTURE(std::string(name));
        const Ran ran = run_quarry({"convert", folder.write(name, before + part + after), "--full-page"});
        CHECK(ran.exit_code == 0);
        CHECK(contains(ran.out, "Before the hostile part"));
        CHECK(contains(ran.out, "After the hostile part"));
        CHECK(ran.peak_kilobytes < memory_limit_kilobytes);
        const Ran main = run_quarry({"convert", folder.file(name)});
        CHECK(main.exit_code == 0);
        CHECK(contains(main.out, "Before the hostile part"));
        CHECK(main.peak_kilobytes < memory_limit_kilobytes);
    }
}

TEST_CASE("a hostile server costs one sentence, and the next URL still comes out") {
    const HostileServer server;
    REQUIRE(server.port() > 0);
    struct Case {
        const char* path;
        const char* sentence;
    };
    const Case cases[] = {
        {"/never", "did not answer within"},
        {"/drip", "timed out"},
        {"/close-early", "closed"},
        {"/long-length", "promised"},
        {"/endless-redirects", "redirect"},
        {"/bomb.gz", "larger than"},
        {"/truncated-gzip", "gzip"},
        {"/binary.png", "image"},
        {"/empty", "empty"},
        {"/huge-headers", "headers"},
        {"/status/404", "404"},
        {"/status/503", "503"},
        {"/redirect-to?u=file:///etc/passwd", "file"},
        {"/hang-after-headers", "timed out"},
    };
    for (const Case& example : cases) {
        CAPTURE(std::string(example.path));
        const Ran ran = run_quarry({"scrape", "--allow-private", "--retries", "0", "--timeout", "3s",
                                    server.url(example.path), server.url("/ok")});
        CHECK(ran.exit_code == 1);
        CHECK_MESSAGE(contains(ran.err, example.sentence), ran.err);
        CHECK(contains(ran.err, "1 succeeded, 1 failed"));
        CHECK_FALSE(ran.out.empty());
        CHECK(ran.peak_kilobytes < memory_limit_kilobytes);
    }
}

TEST_CASE("a redirect to a forbidden address is refused even when the first one was allowed") {
    const HostileServer server;
    const Ran ran = run_quarry({"scrape", "--allow-network", "127.0.0.1/32", "--retries", "0",
                                server.url("/redirect-to?u=http://169.254.169.254/latest/meta-data/")});
    CHECK(ran.exit_code == 1);
    CHECK(contains(ran.err, "169.254.169.254"));
    CHECK(contains(ran.err, "refused"));
}

TEST_CASE("a page that failed twice is there at the third try") {
    const HostileServer server;
    const Ran ran = run_quarry({"scrape", "--allow-private", server.url("/flaky")});
    CHECK(ran.exit_code == 0);
}

TEST_CASE("a wrong charset label and NUL bytes from a server still give the text") {
    const HostileServer server;
    CHECK(run_quarry({"scrape", "--allow-private", server.url("/wrong-charset")}).exit_code == 0);
    CHECK(run_quarry({"scrape", "--allow-private", server.url("/nul")}).exit_code == 0);
}

TEST_CASE("a robots.txt of 100 MB and a sitemap that includes itself end in bounded memory") {
    const HostileServer server;
    const Ran robots =
        run_quarry({"robots", "--allow-private", server.url("/robots-100mb/page"), "--timeout", "20s"});
    CHECK(robots.exit_code <= 1);
    CHECK(robots.peak_kilobytes < memory_limit_kilobytes);

    const Ran map =
        run_quarry({"map", "--allow-private", server.url("/"), "--sitemap", "only", "--retries", "0"});
    CHECK(map.exit_code <= 1);
    CHECK(map.peak_kilobytes < memory_limit_kilobytes);
}
