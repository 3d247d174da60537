#include "app/services/web_access.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/firecrawl/document.h"
#include "app/settings/credentials_file.h"
#include "base/descriptors.h"
#include "base/units.h"
#include "net/http_message.h"
#include "url/url.h"

namespace quarry::app {

namespace {

// They have a limit of their own (work::WebhookPoolConfig), beside that of pages.
constexpr std::size_t webhooks_at_once = 32;

net::HttpConfig http_config(const Settings& settings) {
    // Where few files may be open, fewer pages are on the wire: clients and databases need theirs.
    const auto most = static_cast<std::size_t>(descriptor_plan().fetches);
    const auto fetches = std::min(static_cast<std::size_t>(settings.number("worker.fetches")), most / 2);
    return {.user_agent = settings.text("fetch.user_agent"),
            .proxy = settings.text("fetch.proxy"),
            .ca_file = settings.text("fetch.ca_file"),
            .max_in_flight = fetches + std::min(webhooks_at_once, most / 4),
            .max_connections = std::min(2 * (fetches + webhooks_at_once), most)};
}

fetch::FetchConfig fetch_config(const Settings& settings) {
    return {.limits = {.timeout = settings.duration("fetch.timeout"),
                       .connect_timeout = settings.duration("fetch.connect_timeout"),
                       .body_bytes = settings.bytes("fetch.max_body")},
            .max_redirects = static_cast<int>(settings.number("fetch.max_redirects")),
            .retry = {.max_retries = static_cast<int>(settings.number("fetch.retries"))}};
}

Result<net::AddressPolicy> address_policy(const Settings& settings) {
    net::AddressPolicy policy{.allow_private = settings.yes("fetch.allow_private")};
    for (const std::string& text : settings.list("fetch.allowed_networks")) {
        auto network = net::Network::parse(text);
        if (!network) return fail(network.error().code, "fetch.allowed_networks: " + network.error().message);
        policy.allowed_networks.push_back(*std::move(network));
    }
    return policy;
}

}  // namespace

Result<std::unique_ptr<WebAccess>> WebAccess::open(const Settings& settings) {
    auto policy = TRY(address_policy(settings));
    TRY(authorization_of_commands(settings));
    auto client = TRY(net::HttpClient::open(http_config(settings)));
    auto access = std::unique_ptr<WebAccess>(new WebAccess(std::move(client), fetch_config(settings)));
    access->policy_ = std::move(policy);
    if (const std::string file = settings.text("fetch.credentials"); !file.empty())
        access->credentials_ = std::make_shared<fetch::Credentials>(TRY(read_credentials(file)));
    return access;
}

Result<std::string> authorization_of_commands(const Settings& settings) {
    const std::string basic = settings.text("fetch.basic_auth"), bearer = settings.text("fetch.bearer_token");
    if (!basic.empty() && !bearer.empty())
        return fail(ErrorCode::invalid_argument,
                    "fetch.basic_auth and fetch.bearer_token cannot both be set");
    if (!bearer.empty()) return net::bearer_authorization(bearer);
    if (basic.empty()) return std::string();
    auto value = basic_authorization_of(basic);
    if (!value) return fail(value.error().code, "fetch." + value.error().message);
    return value;
}

std::string note_on_ignored_credentials(const Settings& settings) {
    for (const char* name : {"fetch.bearer_token", "fetch.basic_auth"})
        if (!settings.text(name).empty())
            return fmt::format(
                "{} is ignored here: it would be told to every server that a client names. Write the origin "
                "that "
                "it is for into a file of credentials, and name that in fetch.credentials "
                "(docs/credentials.md)",
                name);
    return "";
}

fetch::PdfLimits pdf_limits(const Settings& settings) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(settings.duration("pdf.timeout"));
    return {.wall_time = seconds, .cpu_time = seconds, .memory_bytes = settings.bytes("pdf.memory")};
}

Result<work::WebhookTools> webhook_tools(const Settings& settings, WebAccess& access) {
    work::WebhookTools tools{.client = &access.client(),
                             .policy = webhook_policy(settings, access),
                             .secret = settings.text("webhook.secret"),
                             .waits = {},
                             .document = [](const StoredPage& page, const Formats& formats) {
                                 return api::firecrawl_document(page, formats);
                             }};
    for (const std::string& text : settings.list("webhook.retries")) {
        const auto wait = parse_duration(text);
        if (!wait) return fail(wait.error().code, "webhook.retries: " + wait.error().message);
        tools.waits.push_back(*wait);
    }
    return tools;
}

net::AddressPolicy webhook_policy(const Settings& settings, const WebAccess& access) {
    net::AddressPolicy policy = access.policy();
    policy.allow_private = policy.allow_private || settings.yes("webhook.allow_private");
    return policy;
}

Result<void> check_webhook(const crawl::CrawlOptions& options, const net::AddressPolicy& policy) {
    if (!options.webhook) return {};
    const auto url = TRY(url::Url::parse(options.webhook->url));
    const auto checked = policy.check_host(url.host());
    if (!checked) return fail(ErrorCode::invalid_argument, "webhook: " + checked.error().message);
    return {};
}

}  // namespace quarry::app
