// `quarry scrape` against a real nginx.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/run_quarry.h"
#include "servers/nginx.h"

using namespace quarry::test;

namespace {

const std::string scraped_site = QUARRY_SOURCE "/tests/site";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Runs `quarry scrape --allow-private ...`.
Ran scrape(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"scrape", "--allow-private", "--retries", "0"});
    return run_quarry(arguments);
}

#define START_NGINX(name, ...)                       \
    auto name##_started = Nginx::start(__VA_ARGS__); \
    if (!name##_started) {                           \
        MESSAGE("skipped: nginx is not installed");  \
        return;                                      \
    }                                                \
    const Nginx& name = *name##_started

}  // namespace

TEST_CASE("a page is printed as markdown with absolute links") {
    START_NGINX(nginx, scraped_site);

    const Ran ran = scrape({nginx.url("/index.html")});

    CHECK(ran.exit_code == 0);
    CHECK(ran.out.starts_with("# Granite\n"));
    CHECK(contains(ran.out, "[installation guide](" + nginx.url("/guide/install.html") + ")"));
    CHECK_FALSE(contains(ran.out, "Copyright"));
    CHECK(ran.err.empty());
}

TEST_CASE("several pages come out in the order they were asked for, each once, with a summary") {
    START_NGINX(nginx, scraped_site);
    const TemporaryFolder folder;
    const std::string file = folder.write(
        "urls.txt", "# a comment\n\n  " + nginx.url("/blog/release.html") + "  \n" + nginx.url("/") + "\n");

    const Ran ran = scrape({nginx.url("/guide/tables.html"), nginx.url("/guide/install.html"),
                            nginx.url("/guide/tables.html"), "-f", file, "-c", "4"});

    CHECK(ran.exit_code == 0);
    const auto sizes = ran.out.find("# Sizes"), install = ran.out.find("# Installing Granite");
    const auto release = ran.out.find("# Granite 2.0 is out"), home = ran.out.find("# Granite\n");
    REQUIRE(home != std::string::npos);
    CHECK(sizes < install);
    CHECK(install < release);
    CHECK(release < home);
    CHECK(ran.out.find("# Sizes", sizes + 1) == std::string::npos);
    CHECK(contains(ran.err, "4 succeeded, 0 failed"));
    CHECK(contains(ran.out, "<!-- " + nginx.url("/guide/install.html") + " -->"));
}

TEST_CASE("a page that fails is reported, the others still come out, and the exit code is 1") {
    START_NGINX(nginx, scraped_site);

    const Ran ran = scrape(
        {nginx.url("/missing.html"), "ftp://a.example/x", "http://exa mple/", nginx.url("/index.html")});

    CHECK(ran.exit_code == 1);
    CHECK(contains(ran.out, "# Granite"));
    CHECK(contains(ran.err, "404"));
    CHECK(contains(ran.err, "ftp"));
    CHECK(contains(ran.err, "Invalid URL"));
    CHECK(contains(ran.err, "1 succeeded, 3 failed"));
}

TEST_CASE("with --json each page is a line with the record's fields") {
    START_NGINX(nginx, scraped_site);

    const Ran ran = scrape({nginx.url("/guide/install.html"), nginx.url("/missing.html"), "--json",
                            "--formats", "markdown,links,metadata"});

    CHECK(ran.exit_code == 1);
    const auto lines = lines_of(ran.out);
    REQUIRE(lines.size() == 2);
    const auto good = boost::json::parse(lines[0]).as_object(),
               bad = boost::json::parse(lines[1]).as_object();
    CHECK(good.at("success").as_bool());
    CHECK(good.at("url").as_string() == nginx.url("/guide/install.html"));
    CHECK(good.at("status_code").as_int64() == 200);
    CHECK(good.at("title").as_string() == "Installing Granite");
    CHECK(good.at("error").is_null());
    CHECK(good.at("crawl_timestamp").as_string().size() >= 20);
    CHECK(good.at("links").as_array().size() == 2);
    CHECK(good.at("metadata").at("author").as_string() == "Petra Stein");
    CHECK_FALSE(bad.at("success").as_bool());
    CHECK(bad.at("status_code").as_int64() == 404);
    CHECK(contains(bad.at("error").as_string().c_str(), "404"));
}

TEST_CASE("every format can be asked for") {
    START_NGINX(nginx, scraped_site);

    const Ran html = scrape({nginx.url("/guide/tables.html"), "--formats", "html"});
    CHECK(contains(html.out, "<table"));
    CHECK_FALSE(contains(html.out, "<nav"));

    const Ran raw = scrape({nginx.url("/guide/tables.html"), "--formats", "rawHtml"});
    CHECK(raw.out == read_file(site + "/guide/tables.html"));

    const Ran links = scrape({nginx.url("/guide/tables.html"), "--formats", "links"});
    CHECK(links.out == nginx.url("/") + "\n" + nginx.url("/guide/install.html") + "\n");

    const Ran text = scrape({nginx.url("/guide/tables.html"), "--formats", "text"});
    CHECK(contains(text.out, "Stones come in three sizes."));

    const Ran metadata = scrape({nginx.url("/index.html"), "--formats", "metadata"});
    CHECK(boost::json::parse(metadata.out).at("metadata").at("description").as_string() ==
          "Granite cuts, counts and sorts stones.");
}

TEST_CASE("-o writes a file, or a folder with a file per page") {
    START_NGINX(nginx, scraped_site);
    const TemporaryFolder folder;

    const Ran single = scrape({nginx.url("/index.html"), "-o", folder.file("page.md")});
    CHECK(single.exit_code == 0);
    CHECK(single.out.empty());
    CHECK(read_file(folder.file("page.md")).starts_with("# Granite\n"));

    const Ran many = scrape({nginx.url("/"), nginx.url("/guide/install.html"), "-o", folder.file("out/")});
    CHECK(many.exit_code == 0);
    const std::string host = "127.0.0.1_" + std::to_string(nginx.port());
    CHECK(read_file(folder.file("out/" + host + "/index.md")).starts_with("# Granite\n"));
    CHECK(read_file(folder.file("out/" + host + "/guide/install.html.md")).starts_with("# Installing"));

    const Ran wrong =
        scrape({nginx.url("/"), nginx.url("/guide/install.html"), "-o", folder.file("both.md")});
    CHECK(wrong.exit_code == 2);
    CHECK(contains(wrong.err, "folder"));
}

TEST_CASE("private addresses are refused unless allowed, whatever leads there") {
    START_NGINX(nginx, scraped_site);
    const std::string port = std::to_string(nginx.port());

    for (const char* name :
         {"127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"}) {
        CAPTURE(std::string(name));
        const Ran ran =
            run_quarry({"scrape", std::string("http://") + name + ":" + port + "/", "--retries", "0"});
        CHECK(ran.exit_code == 1);
        CHECK(contains(ran.err, "--allow-private"));
    }
    CHECK(nginx.access_log().empty());

    CHECK(run_quarry({"scrape", nginx.url("/index.html"), "--allow-network", "127.0.0.0/8"}).exit_code == 0);
}

TEST_CASE("headers, cookies and credentials reach the asked-for server and no other") {
    START_NGINX(other, scraped_site,
                "location / { return 200 'auth=[$http_authorization] cookie=[$http_cookie] x=[$http_x_key]'; "
                "default_type text/plain; }");
    START_NGINX(
        nginx, scraped_site,
        "location = /echo { return 200 'auth=[$http_authorization] cookie=[$http_cookie] x=[$http_x_key]'; "
        "default_type text/plain; } location = /away { return 302 " +
            other.url("/seen") + "; }");
    const TemporaryFolder folder;
    const std::string token = folder.write("token", "s3cret\n");
    const std::vector<std::string> secrets = {"--bearer-file", token,      "--header",
                                              "X-Key: abc",    "--cookie", "a=b"};

    auto direct = secrets, redirected = secrets;
    direct.insert(direct.begin(), nginx.url("/echo"));
    redirected.insert(redirected.begin(), nginx.url("/away"));

    CHECK(contains(scrape(direct).out, "auth=[Bearer s3cret] cookie=[a=b] x=[abc]"));
    CHECK(contains(scrape(redirected).out, "auth=[] cookie=[] x=[]"));
}

TEST_CASE("a server that offers markdown is asked for it") {
    START_NGINX(nginx, scraped_site,
                "location = /doc { default_type text/plain; if ($http_accept ~ text/markdown) { "
                "add_header Content-Type text/markdown; return 200 '# From the server\n'; } "
                "return 200 plain; }");

    CHECK(contains(scrape({nginx.url("/doc")}).out, "# From the server"));
}

TEST_CASE("a page that names its own markdown form is read in that form") {
    const TemporaryFolder folder;
    folder.write(
        "page.html",
        "<article><h1>Page</h1><p>The page as HTML, with words enough to be read by anybody.</p></article>");
    folder.write("page.md", "# Page\n\nThe page as the server wrote it.\n");
    START_NGINX(
        nginx, folder.path(),
        "location = /page.html { add_header Link '</page.md>; rel=alternate; type=\"text/markdown\"'; }");

    CHECK(scrape({nginx.url("/page.html")}).out == "# Page\n\nThe page as the server wrote it.\n");
    CHECK(contains(scrape({nginx.url("/page.html"), "--full-page"}).out, "as HTML"));
}

TEST_CASE("wrong usage of scrape is said in one sentence") {
    struct Case {
        std::vector<std::string> arguments;
        const char* sentence;
    };
    const Case cases[] = {
        {{"scrape"}, "No URLs provided"},
        {{"scrape", "-f", "/nonexistent/urls.txt"}, "File not found: /nonexistent/urls.txt"},
        {{"scrape", "https://a.example/", "--formats", "pdf"}, "pdf"},
        {{"scrape", "https://a.example/", "--header", "nocolon"}, "nocolon"},
        {{"scrape", "https://a.example/", "--header", "A: b\r\nC: d"}, "header"},
        {{"scrape", "https://a.example/", "--timeout", "soon"}, "duration"},
        {{"scrape", "https://a.example/", "-c", "0"}, "scrape.concurrency"},
        {{"scrape", "https://a.example/", "--allow-network", "10.0.0.0/99"}, "10.0.0.0/99"},
        {{"scrape", "https://a.example/", "--bearer-file", "/nonexistent/token"}, "/nonexistent/token"},
    };
    for (const Case& example : cases) {
        CAPTURE(std::string(example.sentence));
        const Ran ran = run_quarry(example.arguments);
        CHECK(ran.exit_code == 2);
        CHECK_MESSAGE(contains(ran.err, example.sentence), ran.err);
        CHECK(ran.out.empty());
    }
}
