#include "cli/commands.h"

namespace quarry::cli {

std::vector<Command> add_commands(CommandBuilder& builder) {
    return {add_scrape(builder), add_convert(builder), add_map(builder),
            add_robots(builder), add_config(builder),  add_completion(builder)};
}

}  // namespace quarry::cli
