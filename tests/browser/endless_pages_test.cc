// Pages that never come to an end. Each costs no more than its own time, the next page works, and no process
// is left behind.
#include <algorithm>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "browser/browser_site.h"
#include "browser/supervisor.h"

using namespace quarry;
using namespace std::chrono_literals;
using test::BrowserSite;
using Processes = std::vector<pid_t>;

namespace {

bool is_alive(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string line;
    return std::getline(file, line) && !line.contains(") Z ");
}

// A browser of its own for a bad page.
class Trial {
public:
    explicit Trial(BrowserSite& place, browser::PoolConfig config = test::pool_config())
        : place_(place), pool_(std::make_unique<browser::Pool>(config)) {
        place.page("/next", "<h1>next</h1>");
    }

    browser::Pool& pool() { return *pool_; }

    void check_aftermath() {
        const auto next = pool_->render(place_.request("/next"));
        REQUIRE_MESSAGE(next, next.error().message);
        CHECK(next->html.contains("<h1>next</h1>"));
        Processes family = browser::descendants_of(getpid());
        std::erase_if(family, [this](pid_t process) { return std::ranges::count(others_, process) > 0; });
        CHECK(family.size() > 2);
        CHECK(family.size() < 12);  // those of one browser with an empty page

        pool_.reset();

        CHECK(std::ranges::none_of(family, is_alive));
    }

private:
    const Processes others_ = browser::descendants_of(getpid());
    BrowserSite& place_;
    std::unique_ptr<browser::Pool> pool_;
};

}  // namespace

TEST_CASE("a page that opens windows without end is read") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/page", R"(<h1>page</h1><button id="more">more</button><script>
        const more = () => { for (let i = 0; i < 20; ++i) open('/window'); };
        document.querySelector('#more').onclick = more;
        setInterval(more, 20)</script>)");
    place.page("/window", "<script>setInterval(() => open('/window'), 20)</script>");
    Trial trial(place);
    auto request = place.request("/page");
    request.limits.time = 120s;  // it takes nine seconds where nothing else runs
    request.actions = {{.kind = browser::Action::Kind::click, .selector = "#more"}};

    const auto rendered = trial.pool().render(request);

    REQUIRE_MESSAGE(rendered, rendered.error().message);
    CHECK(rendered->html.contains("<h1>page</h1>"));
    trial.check_aftermath();
}

TEST_CASE("a page that sends its reader on and on ends with its time") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/script", "<h1>turn</h1><script>location.replace('/script?' + Math.random())</script>");
    place.page("/refresh", "<meta http-equiv=refresh content='0; url=/refresh'><h1>turn</h1>");
    place.page("/pair", "<h1>turn</h1><script>onload = () => location = '/pair?' + Date.now()</script>");
    Trial trial(place);
    for (const char* path : {"/script", "/refresh", "/pair"}) {
        CAPTURE(path);
        auto request = place.request(path);
        request.limits.time = 4s;

        const auto rendered = trial.pool().render(request);  // or the test does not end either

        // Which of its turns is read, or whether one is, is a matter of luck.
        if (rendered) CHECK(rendered->html.contains("<h1>turn</h1>"));
        if (!rendered) {
            CAPTURE(rendered.error().message);
            CHECK((rendered.error().code == ErrorCode::timeout ||
                   rendered.error().code == ErrorCode::conflict));
        }
    }
    trial.check_aftermath();
}

TEST_CASE("canvases of a gigabyte each take neither the machine's memory nor its time") {
    REQUIRE_BROWSER();
    BrowserSite place;
    place.page("/canvas", R"(<h1>page</h1><script>const all = []; setInterval(() => {
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 16384;
        const context = canvas.getContext('2d');
        context.fillStyle = '#' + String(all.length % 10).repeat(3);
        context.fillRect(0, 0, 16384, 16384);
        context.getImageData(all.length, 0, 16384, 1);
        document.body.append(canvas);
        all.push(canvas); }, 10)</script>)");
    browser::PoolConfig config = test::pool_config();
    config.chromium.memory_bytes = std::uint64_t{600} << 20;
    Trial trial(place, config);
    auto request = place.request("/canvas");
    request.limits.time = 10s;
    request.wait_time = 5s;

    const auto rendered = trial.pool().render(request);

    if (!rendered)
        CHECK(
            (rendered.error().code == ErrorCode::unavailable || rendered.error().code == ErrorCode::timeout));
    trial.check_aftermath();
}
