// What `extract` does with pages as they come: data of each, printed or saved, and rules learnt from the
// first.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "chat/answer_page.h"
#include "cli/command.h"
#include "work/page/scrape.h"

namespace quarry::cli {

struct ExtractPlan {
    std::vector<std::string> urls{};
    std::size_t pages = 0;
    std::string output{};  // file or folder; "" is standard output
    std::optional<schema::Schema> schema{};
    std::optional<structured::Rules> rules{};
    std::string prompt{};
    std::string learn_file{};      // rules are to be learnt, and written there; "" if not
    chat::Model* model = nullptr;  // borrowed
};

using DeliverRecord = std::function<void(const work::ScrapeRecord&)>;
// Fetches the pages of the plan and hands them over in their order, on the calling thread, until it is
// stopped.
using FetchPages = std::function<void(const ExtractPlan&, const DeliverRecord&, std::stop_token)>;

// The exit code. Fails only if nothing could be done at all: rules that could not be learnt.
Result<int> run_extraction(const Session& session, ExtractPlan plan, const FetchPages& fetch);

}  // namespace quarry::cli
