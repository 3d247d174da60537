// The models that the settings name: the language model, the embedders by provider, and the standard
// embedder of new collections.
#pragma once

#include <memory>

#include "app/settings/settings.h"
#include "base/result.h"
#include "chat/model.h"
#include "net/http_client.h"
#include "work/indexing/collection_embedders.h"

namespace quarry::app {

// The language model that the settings name.

// Asks nobody yet. Nothing if no model is named: an address alone may be that of an embedder.
// `invalid_argument` names the setting that cannot work. The client outlives what is returned.
Result<std::unique_ptr<chat::Model>> open_model(const Settings& settings, net::HttpClient& client);

// The same with a client of its own, which lives as long as anybody has the model.
Result<std::shared_ptr<chat::Model>> shared_model(const Settings& settings);

// The services that the settings name: embedders by provider, and the standard one for new collections.

// Asks nobody yet. `invalid_argument` names the setting that cannot work. The client outlives what is
// returned.
Result<work::EmbeddingServices> embedding_services(const Settings& settings, net::HttpClient& client);

}  // namespace quarry::app
