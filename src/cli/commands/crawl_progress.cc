#include "cli/commands/crawl_progress.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "cli/output/crawl_text.h"
#include "cli/output/terminal.h"

namespace quarry::cli {

void EmbeddedLines::hear(const store::Event& event) {
    using What = store::Event::What;
    std::string line;
    // A page that was removed from the index, or has no words for it, brings no chunk.
    if (event.what == What::page_indexed && event.status > 0)
        line = fmt::format("Embedded {} for {}", counted(event.status, "chunk"), printable(event.url));
    if (event.what == What::index_failed) line = "Could not embed " + printable(event.url);
    if (line.empty()) return;
    lines_.with([&](std::vector<std::string>& lines) { lines.push_back(std::move(line)); });
}

std::shared_ptr<void> EmbeddedLines::listen_to(store::Store& store, std::optional<GroupId> group) {
    return store.observe([this, group](std::span<const store::Event> events) {
        for (const store::Event& event : events)
            if (!group || event.group == group) hear(event);
    });
}

std::vector<std::string> EmbeddedLines::take() {
    return lines_.with([](std::vector<std::string>& lines) { return std::exchange(lines, {}); });
}

}  // namespace quarry::cli
