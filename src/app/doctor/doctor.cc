#include "app/doctor/doctor.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <boost/json.hpp>
#include <curl/curl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "app/services/browser.h"
#include "model/json/fields.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "url/url.h"

namespace quarry::app {

std::string_view name_of(Health health) {
    switch (health) {
        case Health::ok: return "ok";
        case Health::warn: return "warn";
        case Health::fail: return "fail";
    }
    return "fail";
}

std::vector<Finding> examine(const DataSource& place, Care care) {
    std::vector<Finding> findings = examine_data(place, care);
    for (auto part : {&examine_services, &examine_machine})
        for (Finding& finding : part(place)) findings.push_back(std::move(finding));
    return findings;
}

Health worst_of(std::span<const Finding> findings) {
    Health worst = Health::ok;
    for (const Finding& finding : findings) worst = std::max(worst, finding.health);
    return worst;
}

// The machine that quarry runs on: its limits, its clock, and the versions of its libraries.

namespace {

Finding examine_open_files(const DataSource& place) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    // Idle connections stay open for a while, and databases, sockets and pipes need descriptors too.
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
std::optional<Timestamp> newest_crawl(const DataSource& place) {
    const auto reader = open_reader(place);
    if (!reader) return std::nullopt;
    const auto groups = (*reader)->groups({.limit = 1});
    if (!groups || groups->empty()) return std::nullopt;
    return groups->front().created_at;
}

Finding examine_clock(const DataSource& place) {
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

Finding examine_versions(const DataSource& place) {
    const curl_version_info_data* curl = curl_version_info(CURLVERSION_NOW);
    return {.subject = "versions",
            .says = fmt::format("quarry {}, SQLite {}, curl {}, {}", place.version, sqlite3_libversion(),
                                curl->version, curl->ssl_version ? curl->ssl_version : "no TLS")};
}

}  // namespace

std::vector<Finding> examine_machine(const DataSource& place) {
    return {examine_open_files(place), examine_watches(), examine_clock(place), examine_versions(place)};
}

// The services that the settings name. Each is asked once, by the plainest request: the doctor reports what
// is there, and does not work around it.

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

struct Question {
    std::string subject{};          // "tei"
    std::string setting{};          // "embedding.tei_url"
    std::string path{};             // whose answer identifies the service
    std::vector<Header> headers{};  // with the key, if there is one
    std::string unset{};            // what happens without the setting
};

std::string without_slash(std::string text) {
    while (text.ends_with('/')) text.pop_back();
    return text;
}

Result<json::object> ask(net::HttpClient& client, const std::string& base, const Question& question) {
    net::HttpRequest request{.url = TRY(url::Url::parse(without_slash(base) + question.path)),
                             .headers = question.headers,
                             .policy = {.allow_private = true},  // its own user named it
                             .limits = {.timeout = 5s, .connect_timeout = 3s, .body_bytes = 4 << 20}};
    const net::HttpResponse response = TRY(client.perform(std::move(request)));
    if (response.status == 401 || response.status == 403)
        return fail(ErrorCode::refused, fmt::format("it refuses the key (HTTP {})", response.status));
    if (response.status != 200)
        return fail(ErrorCode::unavailable,
                    fmt::format("it answers {} with HTTP {}", question.path, response.status));
    boost::system::error_code error;
    const json::value parsed = json::parse(response.body, error);
    if (error || !parsed.is_object())
        return fail(ErrorCode::corrupt,
                    fmt::format("what it answers to {} is no JSON object", question.path));
    return parsed.get_object();
}

// Collections that were made with another model of the same provider.
std::vector<std::string> strangers(const DataSource& place, const std::string& provider,
                                   const std::string& model) {
    std::vector<std::string> names;
    const auto reader = open_reader(place);
    if (!reader) return names;
    const auto collections = (*reader)->collections();
    if (!collections) return names;
    for (const Collection& collection : *collections)
        if (collection.embedder.provider == provider && !collection.embedder.model.empty() &&
            collection.embedder.model != model)
            names.push_back(collection.name);
    return names;
}

Finding about_model(const DataSource& place, Finding finding, const std::string& model) {
    const auto others = strangers(place, finding.subject, model);
    finding.says += ", model " + model;
    if (others.empty()) return finding;
    finding.health = Health::fail;
    finding.says += fmt::format(", but \"{}\" was made with another", others.front());
    finding.advice =
        fmt::format("Start the service with that model, or: quarry reindex --collection {}", others.front());
    return finding;
}

// Whether OpenAI's list of models has this one. A list that cannot be read counts as having it.
bool offers(const json::object& answer, const std::string& model) {
    const json::value* data = answer.if_contains("data");
    if (!data || !data->is_array()) return true;
    return std::ranges::any_of(data->get_array(), [&](const json::value& entry) {
        if (!entry.is_object()) return false;
        const std::string id = text_in(entry.get_object(), "id");
        return id == model || id == model + ":latest";  // Ollama adds it
    });
}

std::vector<Header> bearer(const Settings& settings, std::string_view key) {
    const std::string secret = settings.text(key);
    if (secret.empty()) return {};
    return {{"Authorization", net::bearer_authorization(secret)}};
}

class Examination {
public:
    Examination(const DataSource& place, net::HttpClient& client) : place_(place), client_(client) {}

    void tei() {
        const Question question{"tei", "embedding.tei_url", "/info",
                                bearer(place_.settings, "embedding.tei_key"), "use the builtin space"};
        if (auto found = begin(question))
            findings.push_back(found->answer ? about_model(place_, std::move(found->finding),
                                                           text_in(*found->answer, "model_id"))
                                             : std::move(found->finding));
    }

    void openai() {
        const std::string base = without_slash(place_.settings.text("embedding.openai_url"));
        const Question question{"openai", "embedding.openai_url",
                                base.ends_with("/v1") ? "/models" : "/v1/models",
                                bearer(place_.settings, "embedding.openai_key"), "use the builtin space"};
        auto found = begin(question);
        if (!found) return;
        const std::string model = place_.settings.text("embedding.openai_model");
        if (found->answer && offers(*found->answer, model)) {
            findings.push_back(about_model(place_, std::move(found->finding), model));
            return;
        }
        if (found->answer) {
            found->finding.health = Health::warn;
            found->finding.says += fmt::format(", which does not list the model {}", model);
            found->finding.advice = "Set embedding.openai_model to one that it has";
        }
        findings.push_back(std::move(found->finding));
    }

    void qdrant() {
        Question question{"qdrant", "index.qdrant_url", "/", {}, "keep the index in index.db"};
        const std::string key = place_.settings.text("index.qdrant_key");
        if (!key.empty()) question.headers.push_back({"api-key", key});
        auto found = begin(question);
        if (!found) return;
        if (found->answer) found->finding.says += ", version " + text_in(*found->answer, "version");
        findings.push_back(std::move(found->finding));
    }

    // Checks only a browser that runs elsewhere: the first page shows whether a browser can be started here.
    // The gate is not checked, since the process that works may have its ports.
    void browser() {
        const std::string shown = place_.settings.masked("browser.remote_url");
        if (shown.empty()) return;
        const auto wrong = [&](const Error& error) {
            findings.push_back(
                {"browser", Health::fail, error.message,
                 "Start it or correct browser.remote_url; without that setting quarry would start its own"});
        };
        const auto config = browser_config(place_.settings);
        if (!config) return wrong(config.error());
        const auto browser = browser::connect_to_browser(*config->remote);
        if (!browser) return wrong(browser.error());
        findings.push_back({.subject = "browser", .says = fmt::format("{}, {}", shown, browser->product)});
    }

    std::vector<Finding> findings;

private:
    struct Found {
        Finding finding{};
        std::optional<json::object> answer{};
    };

    // Nothing if the service has no setting.
    std::optional<Found> begin(const Question& question) {
        const std::string base = place_.settings.text(question.setting);
        if (base.empty()) return std::nullopt;
        const std::string shown = place_.settings.masked(question.setting);
        auto answer = ask(client_, base, question);
        if (answer) return Found{{.subject = question.subject, .says = shown}, *std::move(answer)};
        return Found{{question.subject, Health::fail, fmt::format("{}: {}", shown, answer.error().message),
                      fmt::format("Start it or correct {}; without that setting quarry would {}",
                                  question.setting, question.unset)},
                     std::nullopt};
    }

    const DataSource& place_;
    net::HttpClient& client_;
};

}  // namespace

std::vector<Finding> examine_services(const DataSource& place) {
    const auto client = net::HttpClient::open({.user_agent = place.settings.text("fetch.user_agent"),
                                               .ca_file = place.settings.text("fetch.ca_file")});
    if (!client) return {{"network", Health::fail, client.error().message, "See quarry config show"}};
    Examination examination(place, **client);
    examination.tei();
    examination.openai();
    examination.qdrant();
    examination.browser();
    return std::move(examination.findings);
}

}  // namespace quarry::app
