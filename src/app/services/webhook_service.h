// How webhooks are sent, from the settings.
#pragma once

#include "app/settings/settings.h"
#include "app/services/web_access.h"
#include "base/result.h"
#include "crawl/options/options.h"
#include "net/address_policy.h"
#include "work/jobs/webhooks.h"

namespace quarry::app {

// `access` outlives it. Fails with `invalid_argument` if a setting cannot work, naming it.
Result<work::WebhookTools> webhook_tools(const Settings& settings, WebAccess& access);

// Where they may be sent: where pages may be fetched from, and more if webhook.allow_private says so.
net::AddressPolicy webhook_policy(const Settings& settings, const WebAccess& access);

// Fails with `invalid_argument` if the webhook's host is an address that may not be connected to. What a name
// leads to is seen when it is sent.
Result<void> check_webhook(const crawl::CrawlOptions& options, const net::AddressPolicy& policy);

}  // namespace quarry::app
