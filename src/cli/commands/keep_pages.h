// What `scrape --collection` keeps of the pages that it prints: they go into the store as they come, and into
// the index when all have come.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/data_source.h"
#include "base/result.h"
#include "cli/command.h"
#include "work/import/writer.h"
#include "work/page/scrape.h"

namespace quarry::cli {

class PageKeeper {
public:
    // Fails as place_of() does, or if the data folder cannot be made.
    static Result<std::unique_ptr<PageKeeper>> open(const CommandContext& session,
                                                    const std::string& collection);

    // Passes over a page without words. After an error nothing more is kept.
    void take(const work::ScrapeRecord& record);

    // Writes what is left, says how much was kept, and waits until it can be found. The exit code.
    int finish();

private:
    PageKeeper(const CommandContext& session, app::DataSource place, const std::string& collection);
    Result<void> add(const work::ScrapeRecord& record);
    Result<void> send();

    const CommandContext& session_;
    const app::DataSource place_;
    const std::string collection_;
    work::ImportWriter writer_;
    std::optional<Error> error_;
};

}  // namespace quarry::cli
