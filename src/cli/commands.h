// The commands, one function each; the file of the same name implements it.
#pragma once

#include "cli/command.h"

namespace quarry::cli {

Command add_demo(CommandBuilder& builder);
Command add_scrape(CommandBuilder& builder);
Command add_screenshot(CommandBuilder& builder);
Command add_extract(CommandBuilder& builder);
Command add_crawl(CommandBuilder& builder);
Command add_search(CommandBuilder& builder);
Command add_status(CommandBuilder& builder);
Command add_queue(CommandBuilder& builder);
Command add_embed_queue(CommandBuilder& builder);
Command add_collections(CommandBuilder& builder);
Command add_forget(CommandBuilder& builder);
Command add_reindex(CommandBuilder& builder);
Command add_export(CommandBuilder& builder);
Command add_schedule(CommandBuilder& builder);
Command add_serve(CommandBuilder& builder);
Command add_keys(CommandBuilder& builder);
Command add_worker(CommandBuilder& builder);
Command add_daemon(CommandBuilder& builder);
Command add_embed_daemon(CommandBuilder& builder);
Command add_backup(CommandBuilder& builder);
Command add_migrate_store(CommandBuilder& builder);
Command add_import(CommandBuilder& builder);
Command add_watch(CommandBuilder& builder);
Command add_convert(CommandBuilder& builder);
Command add_map(CommandBuilder& builder);
Command add_robots(CommandBuilder& builder);
Command add_config(CommandBuilder& builder);
Command add_doctor(CommandBuilder& builder);
Command add_completion(CommandBuilder& builder);
Command add_manual(CommandBuilder& builder);

}  // namespace quarry::cli
