#include "work/crawl_context.h"

#include <algorithm>

#include "fetch/redirect.h"
#include "net/address.h"
#include "net/http_message.h"
#include "url/percent.h"
#include "work/jobs/crawl_jobs.h"

namespace quarry::work {

namespace {

// Pages of one crawl that are on their way through the browser or a model. More would only wait there,
// fetched long before it is their turn.
constexpr int most_in_slow_stages = 32;

std::vector<std::string> origins_of(const std::vector<std::string>& urls) {
    std::vector<std::string> origins;
    for (const std::string& text : urls) {
        if (const auto url = url::Url::parse(text)) origins.push_back(url->origin());
    }
    return origins;
}

}  // namespace

net::AddressPolicy widened(net::AddressPolicy policy, const crawl::CrawlOptions& options) {
    policy.allow_private = policy.allow_private || options.allow_private;
    for (const std::string& text : options.allow_networks) {
        if (auto network = net::Network::parse(text)) policy.allowed_networks.push_back(*network);
    }
    return policy;
}

extract::ExtractOptions extract_options(const crawl::CrawlOptions& options) {
    extract::ExtractOptions extract{.formats = options.formats,
                                    .full_page = options.full_page,
                                    .include_tags = options.include_tags,
                                    .exclude_tags = options.exclude_tags,
                                    .attributes = options.attributes,
                                    .when_empty = extract::WhenEmpty::keep};
    extract.formats.markdown = extract.formats.metadata = extract.formats.links = true;
    return extract;
}

CrawlContext::CrawlContext(const Group& group, crawl::CrawlOptions wanted, const CrawlDefaults& defaults)
    : id(group.id),
      options(std::move(wanted)),
      collection(group.collection),
      owner(group.owner),
      extract(extract_options(options)),
      policy(widened(defaults.policy, options)),
      credentials_(defaults.credentials),
      named_origins_(origins_of(options.urls)) {
    for (const std::string& text : options.urls) {
        const auto url = url::Url::parse(text);
        if (!url || (url->username().empty() && url->password().empty())) continue;
        logins_[url->origin()] = {"Authorization",
                                  net::basic_authorization(url::percent_decoded(url->username()),
                                                           url::percent_decoded(url->password()))};
    }
}

Result<std::shared_ptr<CrawlContext>> CrawlContext::load(GroupId id, store::Reader& reader,
                                                         const CrawlDefaults& defaults) {
    const Group group = TRY(reader.group(id));
    std::shared_ptr<CrawlContext> crawl(new CrawlContext(group, TRY(crawl::options_of(group)), defaults));
    TRY(crawl->set_roots(group.roots));
    crawl->health.with([&](crawl::CrawlHealth& health) { health = crawl::CrawlHealth(group.counters); });
    return crawl;
}

Result<bool> CrawlContext::recall_some(store::Reader& reader, Recalled& recalled) {
    const auto stored = TRY(reader.pages({.group = id, .after = recalled.after, .limit = 1'000}));
    for (const StoredPage& page : stored.pages)
        recalled.seen.add(page.facts.simhash, page.facts.title, page.key);
    recalled.after = stored.next.value_or(0);
    if (stored.next) return true;
    near_duplicates.with([&](crawl::NearDuplicates& index) { index = std::move(recalled.seen); });
    return false;
}

Result<void> CrawlContext::set_roots(std::vector<std::string> roots) {
    auto scope = std::make_shared<const crawl::Scope>(TRY(crawl::Scope::create(options, roots)));
    place_.with([&](Place& place) { place = {std::move(roots), std::move(scope)}; });
    return {};
}

bool CrawlContext::may_start_another() const {
    const bool all_take_one = options.render == Rendering::always || options.data.wants_any();
    if (in_slow_stages + (all_take_one ? running : 0) >= most_in_slow_stages) return false;
    return !options.max_concurrency || running < *options.max_concurrency;
}

void CrawlContext::widen(const std::vector<std::string>& more) {
    std::vector<std::string> roots = place_.with([](const Place& place) { return place.roots; });
    for (const std::string& root : more) {
        if (std::ranges::find(roots, root) == roots.end()) roots.push_back(root);
    }
    // Cannot fail: only URLs that were parsed become roots, and the options were good before.
    (void)set_roots(std::move(roots));
}

std::shared_ptr<const crawl::Scope> CrawlContext::scope() {
    return place_.with([](const Place& place) { return place.scope; });
}

std::vector<Header> CrawlContext::headers_for(const url::Url& url) const {
    std::vector<Header> headers;
    const std::string origin = url.origin();
    if (!options.headers.empty()) {
        const bool is_named = std::ranges::find(named_origins_, origin) != named_origins_.end();
        headers = is_named ? options.headers : fetch::headers_without_secrets(options.headers);
    }
    const auto login = logins_.find(origin);
    if (login != logins_.end() && header_value(headers, "Authorization").empty())
        headers.push_back(login->second);
    if (credentials_) credentials_->add_to(headers, url, owner);
    return headers;
}

namespace {

// Each may hold a megabyte.
constexpr std::size_t max_crawls = 16;

}  // namespace

crawl::Admission& Admissions::of(const std::shared_ptr<CrawlContext>& of_crawl) {
    CrawlContext& crawl = *of_crawl;
    auto scope = crawl.scope();
    if (const auto known = entries_.find(crawl.id); known != entries_.end()) {
        if (known->second.scope == scope) return *known->second.admission;
        entries_.erase(known);
    }
    std::erase_if(entries_, [](const auto& entry) { return entry.second.crawl.expired(); });
    // Whichever goes can be had again.
    if (entries_.size() >= max_crawls) entries_.erase(entries_.begin());
    Entry& entry = entries_[crawl.id];
    entry.judge = std::make_unique<crawl::LinkJudge>(*scope, crawl::identity_rules(crawl.options));
    entry.admission = std::make_unique<crawl::Admission>(
        *entry.judge, crawl::Admission::Config{
                          .ignore_robots = crawl.options.ignore_robots,
                          .known = [this, id = crawl.id](const UrlKey& key) { return store_.knows(id, key); },
                          .shapes = &crawl.shapes});
    entry.crawl = of_crawl;
    entry.scope = std::move(scope);
    return *entry.admission;
}

}  // namespace quarry::work
