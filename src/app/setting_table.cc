#include "app/settings.h"

namespace quarry::app {
namespace {

constexpr SettingDefinition table[] = {
    {"fetch.user_agent", SettingKind::text, "quarry/0.1", "How quarry names itself to servers"},
    {"fetch.timeout", SettingKind::duration, "60s", "Longest time for one page, redirects and retries apart"},
    {"fetch.connect_timeout", SettingKind::duration, "10s", "Longest time to connect"},
    {"fetch.max_body", SettingKind::bytes, "50MB", "Largest page, counted after decompression"},
    {"fetch.max_redirects", SettingKind::number, "10", "Longest chain of redirects", Secrecy::open, 0, 50},
    {"fetch.retries", SettingKind::number, "3", "Further tries after a failure that may pass", Secrecy::open,
     0, 20},
    {"fetch.proxy", SettingKind::text, "", "Proxy for every request, for instance http://proxy:3128",
     Secrecy::in_userinfo},
    {"fetch.ca_file", SettingKind::text, "", "Certificates to trust instead of the system's (PEM)"},
    {"fetch.allow_private", SettingKind::yes_no, "false", "Allow private, loopback and link-local addresses"},
    {"fetch.allowed_networks", SettingKind::list, "",
     "Networks to allow all the same, for instance 10.1.0.0/16"},
    {"fetch.basic_auth", SettingKind::text, "", "USER:PASSWORD for the asked-for servers", Secrecy::secret},
    {"fetch.bearer_token", SettingKind::text, "", "Token for the asked-for servers", Secrecy::secret},
    {"scrape.concurrency", SettingKind::number, "5", "Pages fetched at once", Secrecy::open, 1, 256},
    {"convert.jobs", SettingKind::number, "0", "Threads for bulk conversion; 0 means one per core",
     Secrecy::open, 0, 256},
    {"robots.agent", SettingKind::text, "quarry", "The name that robots.txt rules are matched against"},
    {"store.data", SettingKind::text, "", "The data folder; empty means $XDG_DATA_HOME/quarry", Secrecy::open,
     0, 0, "QUARRY_DATA"},
    {"store.durability", SettingKind::text, "full",
     "full: what was acknowledged survives a power cut; normal: a crash only"},
    {"store.low_disk", SettingKind::bytes, "256MB", "Take no new work when less than this is free"},
    {"worker.fetches", SettingKind::number, "256", "Pages on the wire at once, over all hosts", Secrecy::open,
     1, 10'000},
    {"worker.threads", SettingKind::number, "0", "Threads that read pages; 0 means one per core",
     Secrecy::open, 0, 256},
    {"worker.lease", SettingKind::duration, "60s", "When a worker that went silent loses its work"},
    {"worker.heartbeat", SettingKind::duration, "5s", "How often a worker says that it lives"},
    {"worker.idle_exit", SettingKind::duration, "30s", "When a background worker without work leaves"},
    {"worker.log_size", SettingKind::bytes, "5MB", "Largest worker.log; one older one is kept"},
    {"crawl.limit", SettingKind::number, "10000", "Most pages of a crawl", Secrecy::open, 1, 1'000'000'000},
    {"crawl.max_active", SettingKind::number, "3", "Crawls of one owner that run at once", Secrecy::open, 1,
     1'000},
    {"crawl.delay", SettingKind::duration, "0s", "Wait between two pages of a host"},
    {"retention.completed_jobs", SettingKind::duration, "1h", "Forget completed jobs after"},
    {"retention.failed_jobs", SettingKind::duration, "6h", "Forget failed jobs after"},
    {"retention.crawls", SettingKind::duration, "720h", "Forget crawls, not their pages, after"},
    {"retention.zero", SettingKind::duration, "1h", "Forget zero-retention work after"},
    {"pdf.timeout", SettingKind::duration, "30s", "Longest time to read one PDF"},
    {"pdf.memory", SettingKind::bytes, "1GB", "Most memory for reading one PDF"},
};

}  // namespace

std::span<const SettingDefinition> setting_table() {
    return table;
}

}  // namespace quarry::app
