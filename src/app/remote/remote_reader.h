// What a server has in its store, read over quarry's own API.
#pragma once

#include <memory>

#include "app/remote/api.h"
#include "store/reader.h"

namespace quarry::app {

// Fails as the server does; `corrupt` if an answer is not what it should be.
std::unique_ptr<store::Reader> remote_reader(std::shared_ptr<RemoteApi> api);

}  // namespace quarry::app
