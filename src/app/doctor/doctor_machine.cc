// The machine quarry runs on: what it allows, what time it thinks it is, and whose libraries it has.
#include <chrono>
#include <fstream>

#include <curl/curl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "app/doctor/doctor.h"

namespace quarry::app {
namespace {

Finding examine_open_files(const Workplace& place) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    // Idle connections are kept for a while, and databases, sockets and pipes need some too.
    const auto wanted = static_cast<rlim_t>(2 * place.settings.number("worker.fetches") + 128);
    Finding finding{.subject = "open files", .says = fmt::format("up to {}", limit.rlim_cur)};
    if (limit.rlim_cur >= wanted) return finding;
    finding.health = Health::warn;
    finding.advice =
        fmt::format("{} pages at once (worker.fetches) need {}: ulimit -n {}, or lower the setting",
                    place.settings.number("worker.fetches"), wanted, wanted);
    return finding;
}

Finding examine_watches() {
    constexpr std::int64_t enough = 8'192;
    std::int64_t watches = 0;
    std::ifstream file("/proc/sys/fs/inotify/max_user_watches");
    if (!(file >> watches))
        return {"watched folders", Health::warn, "this system has no inotify",
                "quarry watch does not work here; quarry import does"};
    Finding finding{.subject = "watched folders", .says = fmt::format("up to {}", watches)};
    if (watches >= enough) return finding;
    finding.health = Health::warn;
    finding.advice = "For large trees: sudo sysctl fs.inotify.max_user_watches=1048576";
    return finding;
}

// The time of the newest crawl, which cannot be later than now.
std::optional<Timestamp> newest_crawl(const Workplace& place) {
    const auto reader = open_reader(place);
    if (!reader) return std::nullopt;
    const auto groups = (*reader)->groups({.limit = 1});
    if (!groups || groups->empty()) return std::nullopt;
    return groups->front().created_at;
}

Finding examine_clock(const Workplace& place) {
    using namespace std::chrono;
    const auto now = time_point_cast<milliseconds>(system_clock::now());
    Finding finding{
        .subject = "clock",
        .says = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(system_clock::to_time_t(now)))};
    const auto newest = newest_crawl(place);
    const bool is_behind = newest && *newest > now + minutes(1);
    if (!is_behind && now > sys_days(2025y / January / 1)) return finding;
    finding.health = Health::warn;
    if (is_behind) finding.says += ", which is before the last crawl";
    finding.advice = "Certificates and schedules need the right time: set the clock (timedatectl)";
    return finding;
}

Finding examine_versions(const Workplace& place) {
    const curl_version_info_data* curl = curl_version_info(CURLVERSION_NOW);
    return {.subject = "versions",
            .says = fmt::format("quarry {}, SQLite {}, curl {}, {}", place.version, sqlite3_libversion(),
                                curl->version, curl->ssl_version ? curl->ssl_version : "no TLS")};
}

}  // namespace

std::vector<Finding> examine_machine(const Workplace& place) {
    return {examine_open_files(place), examine_watches(), examine_clock(place), examine_versions(place)};
}

}  // namespace quarry::app
