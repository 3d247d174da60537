#include "app/api_service.h"

#include <algorithm>
#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/index_access.h"
#include "app/services/index_report.h"
#include "app/services/models.h"
#include "app/services/web_access.h"
#include "base/descriptors.h"
#include "base/threads.h"
#include "model/json/fields.h"
#include "model/json/records.h"
#include "search/json.h"
#include "url/url.h"
#include "work/crawl_context.h"
#include "work/jobs/crawl_jobs.h"
#include "work/page/read_document.h"
#include "work/site/map_site.h"
#include "work/web_search.h"

namespace quarry::app {

namespace {

constexpr std::chrono::milliseconds between_looks{250};
// More do not end while there is nobody to end them.
constexpr int most_over = 1'000;

}  // namespace

DistantOwner::DistantOwner(const DataSource& place)
    : place_(place), follower_([this](std::stop_token stop) {
          name_this_thread("follow owner");
          follow(stop);
      }) {}

Result<boost::json::value> DistantOwner::perform(std::string_view method, boost::json::object params) {
    return TRY(ask(place_, method, std::move(params))).answer;
}

Result<search::SearchAnswer> DistantOwner::search(const search::SearchRequest& request) {
    auto service = searches_.with([](auto& free) -> std::unique_ptr<SearchService> {
        if (free.empty()) return nullptr;
        auto last = std::move(free.back());
        free.pop_back();
        return last;
    });
    if (!service) service = std::make_unique<SearchService>(place_);
    auto answer = service->search(request);
    searches_.with([&](auto& free) { free.push_back(std::move(service)); });
    return answer;
}

std::shared_ptr<void> DistantOwner::observe(store::Store::Observer observer) {
    return observers_.add(std::move(observer));
}

void DistantOwner::follow(std::stop_token stop) {
    while (!stop.stop_requested()) {
        auto owner = OwnerClient::connect(place_.folder, place_.version);
        if (owner && owner->follow(std::nullopt, Hears::changes)) follow(*owner, stop);
        if (!stop.stop_requested()) pause_for(between_looks, stop);
    }
}

void DistantOwner::follow(OwnerClient& owner, std::stop_token stop) {
    tell_of_those_over();
    while (!stop.stop_requested()) {
        const auto event = owner.next_event(between_looks);
        if (!event) return;
        if (*event) tell({&**event, 1});
    }
}

void DistantOwner::tell_of_those_over() {
    const auto reader = open_reader(place_);
    if (!reader) return;
    const auto groups = (*reader)->groups(
        {.states = {JobState::completed, JobState::failed, JobState::cancelled}, .limit = most_over});
    if (!groups) return;
    std::vector<store::Event> events;
    for (const Group& group : *groups)
        events.push_back(
            {.what = store::Event::What::group_changed, .group = group.id, .state = group.state});
    tell(events);
}

void DistantOwner::tell(std::span<const store::Event> events) {
    observers_.tell(events);
}

namespace {

// Fails with `refused` if the crawl could only fail: it begins at one address, and that may not be connected
// to. What is no URL is told of elsewhere.
Result<void> check_start(const crawl::CrawlOptions& options, const net::AddressPolicy& policy) {
    if (options.urls.size() != 1) return {};
    const auto url = url::parse_page_address(options.urls.front());
    if (!url) return {};
    const auto checked = policy.check_host(url->host());
    if (checked) return {};
    return fail(checked.error().code,
                fmt::format("cannot fetch {}: {}", url->without_credentials(), checked.error().message));
}

api::SiteMap map_of(WebAccess& web, const std::string& agent, const api::MapQuestion& question,
                    std::stop_token stop) {
    const work::SiteAccess access{.fetcher = web.fetcher(),
                                  .policy = web.policy(),
                                  .agent = agent,
                                  .stop = std::move(stop),
                                  .credentials = web.credentials(),
                                  .owner = question.owner};
    const work::SiteMap found = work::map_site(
        access, question.url,
        {.limit = question.limit,
         .search = question.search,
         .subdomains = question.subdomains ? work::Subdomains::include : work::Subdomains::leave_out,
         .sitemap = question.sitemap});
    api::SiteMap map{.error = found.error, .warning = found.warning};
    for (const work::FoundPage& page : found.links)
        map.pages.push_back({.url = page.url, .title = page.title});
    return map;
}

// A PDF takes no longer than its sender waits for it.
Result<Document> read_upload(const api::Upload& upload, fetch::PdfLimits limits) {
    const auto patience = std::chrono::duration_cast<std::chrono::seconds>(upload.timeout);
    limits.wall_time = std::min(limits.wall_time, patience);
    return work::read_document(upload.page, work::extract_options(upload.options), limits);
}

Result<api::KeyNeed> key_need(const Settings& settings) {
    const std::string word = settings.text("serve.require_key");
    if (word == "auto") return api::KeyNeed::if_there_are_keys;
    if (word == "yes" || word == "true") return api::KeyNeed::always;
    if (word == "no" || word == "false") return api::KeyNeed::never;
    return fail(ErrorCode::invalid_argument,
                fmt::format("serve.require_key is auto, yes or no, not \"{}\"", word));
}

Result<std::vector<net::Network>> trusted_proxies(const Settings& settings) {
    std::vector<net::Network> networks;
    for (const std::string& text : settings.list("serve.trusted_proxies")) {
        auto network = net::Network::parse(text);
        if (!network) return fail(network.error().code, "serve.trusted_proxies: " + network.error().message);
        networks.push_back(*std::move(network));
    }
    return networks;
}

int connections_per_address(const Settings& settings, int connections) {
    constexpr int least = 16, part = 16;
    const auto wanted = static_cast<int>(settings.number("serve.connections_per_address"));
    return wanted > 0 ? wanted : std::max(least, connections / part);
}

// Clients of this machine and those that many come through.
std::function<bool(const std::string&)> any_number_from(std::vector<net::Network> proxies) {
    proxies.push_back(net::Network::parse("127.0.0.0/8").value());
    proxies.push_back(net::Network::parse("::1").value());
    return [proxies = std::move(proxies)](const std::string& text) {
        const auto address = net::Address::parse(text);
        const auto has = [&](const net::Network& network) { return network.contains(*address); };
        return address && std::ranges::any_of(proxies, has);
    };
}

using SearchWeb = decltype(api::Services::search_web);

// Keeps what it needs alive itself.
Result<SearchWeb> web_search(const Settings& settings) {
    const std::string url = settings.text("search.searxng");
    if (url.empty()) return SearchWeb();
    const std::shared_ptr<net::HttpClient> client = TRY(net::HttpClient::open(
        {.user_agent = settings.text("fetch.user_agent"), .ca_file = settings.text("fetch.ca_file")}));
    const std::shared_ptr<work::WebSearch> engine = TRY(work::WebSearch::open({.url = url}, *client));
    return [client, engine](const api::WebQuestion& question) -> Result<std::vector<api::WebHit>> {
        std::vector<api::WebHit> hits;
        for (work::WebResult& found :
             TRY(engine->search(question.query, question.language, question.limit, {})))
            hits.push_back({std::move(found.url), std::move(found.title), std::move(found.description)});
        return hits;
    };
}

// Before there were settings of their own, crawls and scrapes over the API were kept like all crawls: who has
// said how long that is, and nothing else, goes on having it.
api::Promises promises_of(const Settings& settings) {
    const auto is_set = [&](std::string_view key) {
        return settings.value(key).source != SettingSource::standard;
    };
    const auto or_crawls = [&](std::string_view key) {
        return settings.duration(!is_set(key) && is_set("retention.crawls") ? "retention.crawls" : key);
    };
    const auto crawls = or_crawls("retention.api_crawls");
    return {.scrapes = {or_crawls("retention.completed_jobs"), or_crawls("retention.failed_jobs")},
            .crawls = {crawls, crawls},
            .others = settings.duration("retention.crawls"),
            .zero_retention = settings.duration("retention.zero"),
            .cache = settings.duration("retention.cache")};
}

// What is the same wherever the store is.
Result<api::Services> common_services(const DataSource& place, WebAccess& web, OwnerProcess::Log log) {
    api::Services services;
    services.search_web = TRY(web_search(place.settings));
    services.model = TRY(shared_model(place.settings));
    services.open_reader = [&place] { return open_reader(place); };
    services.map = [&web, agent = place.settings.text("robots.agent")](const api::MapQuestion& question,
                                                                       std::stop_token stop) {
        return map_of(web, agent, question, std::move(stop));
    };
    services.read = [limits = pdf_limits(place.settings)](const api::Upload& upload) {
        return read_upload(upload, limits);
    };
    services.log = std::move(log);
    services.version = place.version;
    services.promises = promises_of(place.settings);
    services.max_concurrency = static_cast<int>(place.settings.number("worker.fetches"));
    return services;
}

Result<api::Services> services_of(OwnerProcess& owner, const DataSource& place, OwnerProcess::Log log) {
    api::Services services = TRY(common_services(place, owner.access(), std::move(log)));
    store::Store& store = owner.store();
    services.perform = [&owner](const std::string& method, const boost::json::object& params) {
        return owner.handle(method, params);
    };
    services.read_chunks = [&owner](const std::string& collection, std::span<const ChunkRef> chunks,
                                    index::WithVectors with_vectors) {
        const auto kept = owner.library().hold();
        return index::chunk_records(owner.library().index(), collection, chunks, with_vectors);
    };
    services.observe = [&store](store::Store::Observer observer) {
        return store.observe(std::move(observer));
    };
    services.cancel = [&store](GroupId group) { return store.cancel(group); };
    services.erase = [&store](GroupId group) { return store.erase(group); };
    services.keep_requests = [&store](std::span<const RequestRecord> requests) {
        return store.add_requests(requests);
    };
    services.now = [&store] { return store.now(); };
    // A disk that is short of room is no reason to keep away: what is stored can be read.
    services.store_trouble = [&owner, &store] {
        return store.reconnects() ? owner.store_trouble() : std::nullopt;
    };
    services.write_trouble = [&owner] { return owner.store_trouble(); };
    services.search = [&owner](const search::SearchRequest& request) {
        return owner.library().search(request);
    };
    services.begin_crawl = [&store, pages = owner.access().policy(),
                            webhooks = webhook_policy(place.settings, owner.access())](
                               const crawl::CrawlOptions& options) -> Result<GroupId> {
        TRY(check_start(options, pages));
        TRY(check_webhook(options, webhooks));
        return work::start_crawl(store, options);
    };
    services.add_urls = [&store](GroupId batch, const std::vector<std::string>& urls) {
        return work::add_urls(store, batch, urls);
    };
    return services;
}

Result<void> perform(DistantOwner& owner, std::string_view method, boost::json::object params) {
    TRY(owner.perform(method, std::move(params)));
    return {};
}

// Also what a worker has beside the store: without one it is read from its files.
Result<boost::json::value> perform_all(DistantOwner& owner, const DataSource& place,
                                       const std::string& method, const boost::json::object& params) {
    if (method == "search") {
        const auto request = TRY(search::parse_request(params));
        return search::to_json(TRY(owner.search(request)), request);
    }
    auto answer = owner.perform(method, params);
    if (answer || answer.error().code != ErrorCode::unsupported) return answer;
    if (method == "indexing") return boost::json::object{{"is_busy", false}};
    if (method != "index_facts") return answer;
    const auto library = Library::open_to_read(place);
    return library ? index_facts((*library)->index()) : boost::json::object();
}

Result<void> keep_requests(DistantOwner& owner, std::span<const RequestRecord> requests) {
    boost::json::array records;
    for (const RequestRecord& request : requests) records.push_back(record_of(request));
    return perform(owner, "add_requests", {{"requests", std::move(records)}});
}

Result<api::Services> services_of(DistantOwner& owner, const DataSource& place, WebAccess& web,
                                  OwnerProcess::Log log) {
    api::Services services = TRY(common_services(place, web, std::move(log)));
    services.perform = [&owner, &place](const std::string& method, const boost::json::object& params) {
        return perform_all(owner, place, method, params);
    };
    services.read_chunks = [&place](const std::string& collection, std::span<const ChunkRef> chunks,
                                    index::WithVectors with_vectors) -> Result<boost::json::array> {
        const auto library = TRY(Library::open_to_read(place));
        return index::chunk_records(library->index(), collection, chunks, with_vectors);
    };
    services.observe = [&owner](store::Store::Observer observer) {
        return owner.observe(std::move(observer));
    };
    services.cancel = [&owner](GroupId group) {
        return perform(owner, "cancel", {{"group", number(group)}});
    };
    services.erase = [&owner](GroupId group) { return perform(owner, "erase", {{"group", number(group)}}); };
    services.keep_requests = [&owner](std::span<const RequestRecord> requests) {
        return keep_requests(owner, requests);
    };
    services.now = [] {
        return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    };
    services.search = [&owner](const search::SearchRequest& request) { return owner.search(request); };
    services.begin_crawl = [&owner, pages = web.policy(), webhooks = webhook_policy(place.settings, web)](
                               const crawl::CrawlOptions& options) -> Result<GroupId> {
        TRY(check_start(options, pages));
        TRY(check_webhook(options, webhooks));
        const auto answer = TRY(owner.perform("crawl", to_json(options)));
        return GroupId{TRY(answered_number(answer, "group"))};
    };
    services.add_urls = [&owner](GroupId batch, const std::vector<std::string>& urls) {
        boost::json::array list(urls.begin(), urls.end());
        return perform(owner, "add_urls", {{"group", number(batch)}, {"urls", std::move(list)}});
    };
    return services;
}

}  // namespace

bool ListenAddress::is_loopback() const {
    return address == "::1" || address.starts_with("127.");
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
    const auto wrong = [&] {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is no address to listen on: try 127.0.0.1:3002", text));
    };
    ListenAddress listen{.address = "127.0.0.1"};
    std::string_view port = text;
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        std::string_view host = text.substr(0, colon);
        port = text.substr(colon + 1);
        const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
        if (is_bracketed) host = host.substr(1, host.size() - 2);
        if (!is_bracketed && host.find(':') != std::string_view::npos) return wrong();
        if (host == "localhost") host = "127.0.0.1";
        if (!host.empty()) listen.address = host;
    }
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
    if (error != std::errc() || end != port.data() + port.size()) return wrong();
    return listen;
}

Result<std::unique_ptr<ApiService>> ApiService::start(OwnerProcess& owner, const DataSource& place,
                                                      const ListenAddress& listen, OwnerProcess::Log log) {
    std::unique_ptr<ApiService> service(new ApiService());
    api::Services services = TRY(services_of(owner, place, std::move(log)));
    TRY(service->listen(std::move(services), place, listen));
    return service;
}

Result<std::unique_ptr<ApiService>> ApiService::start_apart(const DataSource& place,
                                                            const ListenAddress& listen,
                                                            OwnerProcess::Log log,
                                                            std::optional<Error> write_trouble) {
    // Readers have something to read even if no worker has ever run.
    if (!open_reader(place)) TRY(ask(place, "add_requests", {{"requests", boost::json::array()}}));
    std::unique_ptr<ApiService> service(new ApiService());
    service->web_ = TRY(WebAccess::open(place.settings));
    service->owner_ = std::make_unique<DistantOwner>(place);
    api::Services services = TRY(services_of(*service->owner_, place, *service->web_, std::move(log)));
    if (write_trouble) services.write_trouble = [trouble = *write_trouble] { return trouble; };
    TRY(service->listen(std::move(services), place, listen));
    return service;
}

Result<void> ApiService::listen(api::Services services, const DataSource& place,
                                const ListenAddress& listen) {
    const Settings& settings = place.settings;
    auto proxies = TRY(trusted_proxies(settings));
    services.admission = {.needs_key = !listen.is_loopback(),
                          .need_here = TRY(key_need(settings)),
                          .trusted_proxies = proxies,
                          .answers_strangers = listen.is_for_others,
                          .origins = settings.list("serve.cors")};
    api_ = TRY(api::Api::open(std::move(services)));
    const DescriptorPlan plan = descriptor_plan();
    server_ = TRY(api::Server::start(
        {.address = listen.address,
         .port = listen.port,
         .tls_certificate = listen.tls_certificate,
         .tls_key = listen.tls_key,
         .max_connections = plan.clients,
         .max_connections_of_address = connections_per_address(settings, plan.clients),
         .is_trusted = any_number_from(std::move(proxies)),
         .reserved_descriptors = plan.reserved,
         .log =
             [warn = place.warn](std::string_view line) {
                 if (warn) warn(std::string(line));
             },
         .header_timeout = settings.duration("serve.header_timeout"),
         .body_timeout = settings.duration("serve.body_timeout")},
        [api = api_.get()](std::shared_ptr<api::Exchange> exchange) { api->handle(std::move(exchange)); }));
    return {};
}

// Nobody may ask any more before those go who answer.
ApiService::~ApiService() {
    server_.reset();
    api_.reset();
}

void ApiService::leave(std::chrono::milliseconds patience) {
    server_->leave(patience);
}

}  // namespace quarry::app
