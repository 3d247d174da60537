#include "cli/commands.h"

namespace quarry::cli {

std::vector<Command> add_commands(CommandBuilder& builder) {
    return {
        add_demo(builder),        add_scrape(builder),      add_screenshot(builder),    add_extract(builder),
        add_crawl(builder),       add_search(builder),      add_status(builder),        add_queue(builder),
        add_embed_queue(builder), add_collections(builder), add_forget(builder),        add_reindex(builder),
        add_export(builder),      add_schedule(builder),    add_serve(builder),         add_keys(builder),
        add_worker(builder),      add_daemon(builder),      add_embed_daemon(builder),  add_import(builder),
        add_watch(builder),       add_backup(builder),      add_migrate_store(builder), add_convert(builder),
        add_map(builder),         add_robots(builder),      add_config(builder),        add_doctor(builder),
        add_completion(builder),  add_manual(builder)};
}

}  // namespace quarry::cli
