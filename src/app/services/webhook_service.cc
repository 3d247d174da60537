#include "app/services/webhook_service.h"

#include "api/firecrawl/firecrawl_document.h"
#include "base/units.h"
#include "url/url.h"

namespace quarry::app {

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
