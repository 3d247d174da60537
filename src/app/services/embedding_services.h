// The services that the settings name: embedders by provider, and the standard one for new collections.
#pragma once

#include "app/settings/settings.h"
#include "base/result.h"
#include "net/http_client.h"
#include "work/indexing/collection_embedders.h"

namespace quarry::app {

// Asks nobody yet. `invalid_argument` names the setting that cannot work. The client outlives what is
// returned.
Result<work::EmbeddingServices> embedding_services(const Settings& settings, net::HttpClient& client);

}  // namespace quarry::app
