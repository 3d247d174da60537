// Shows pages of crawls to the browser of this process.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "browser/pool.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

struct RenderTools {
    // The browser, which outlives the engine. Fails, in a sentence that says what to install, where there is
    // none. Nothing: pages are not rendered here.
    std::function<Result<browser::Pool*>()> open_browser{};
    int pages_at_once = 4;
    std::string user_agent{};
    std::chrono::milliseconds page_time{30'000};
};

class Renderer {
public:
    Renderer(RenderTools tools, std::stop_token abort) : tools_(std::move(tools)), abort_(std::move(abort)) {}

    // Sets `shown`, and the page to what the browser has, if it has it. Any thread.
    void show(FetchedUrl& fetched);

private:
    Result<browser::Rendered> shown(FetchedUrl& fetched);

    const RenderTools tools_;
    const std::stop_token abort_;
};

}  // namespace quarry::work
