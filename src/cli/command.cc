#include "cli/command.h"

namespace quarry::cli {

Parser& CommandBuilder::add(const std::string& name, const std::string& summary,
                            const std::string& examples) {
    return root_.add_command(name, summary, examples);
}

void CommandBuilder::setting(Parser& parser, const SettingFlag& flag) {
    const auto collect = [this, key = flag.key](const std::string& value) {
        flags_.emplace_back(key, value);
    };
    parser.on_option(flag.flag, collect, flag.help);
}

void CommandBuilder::setting_switch(Parser& parser, const SettingFlag& flag) {
    const auto collect = [this, key = flag.key] { flags_.emplace_back(key, "true"); };
    parser.on_flag(flag.flag, collect, flag.help);
}

void CommandBuilder::network_settings(Parser& parser) {
    setting(parser, {"--timeout", "fetch.timeout", "Longest time for one page (60s)"});
    setting(parser, {"--retries", "fetch.retries", "Further tries after a failure that may pass (3)"});
    setting(parser, {"--max-body", "fetch.max_body", "Largest page after decompression (50MB)"});
    setting(parser, {"--user-agent", "fetch.user_agent", "How to name ourselves to servers"});
    setting(parser, {"--proxy", "fetch.proxy", "Proxy, for instance http://proxy:3128"});
    setting(parser, {"--ca-file", "fetch.ca_file", "Certificates to trust (PEM)"});
    setting(parser, {"--basic-auth-file", "fetch.basic_auth_file", "File that holds USER:PASSWORD"});
    setting(parser, {"--bearer-file", "fetch.bearer_token_file", "File that holds a bearer token"});
    setting(parser,
            {"--allow-network", "fetch.allowed_networks", "Networks to allow, for instance 10.1.0.0/16"});
    setting_switch(parser, {"--allow-private", "fetch.allow_private",
                            "Allow private, loopback and link-local addresses (an intranet, localhost)"});
}

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
