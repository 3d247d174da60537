// The language model that the settings name.
#pragma once

#include <memory>

#include "app/settings/settings.h"
#include "base/result.h"
#include "chat/model.h"
#include "net/http_client.h"

namespace quarry::app {

// Asks nobody yet. Nothing if no model is named: an address alone may be that of an embedder.
// `invalid_argument` names the setting that cannot work. The client outlives what is returned.
Result<std::unique_ptr<chat::Model>> open_model(const Settings& settings, net::HttpClient& client);

// The same with a client of its own, which lives as long as anybody has the model.
Result<std::shared_ptr<chat::Model>> shared_model(const Settings& settings);

}  // namespace quarry::app
