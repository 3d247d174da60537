// A plain TCP connection to a service that the settings name: for protocols that curl does not speak. No page
// has a say in where it leads, so no policy is asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "net/address.h"

namespace quarry::net {

struct Dialled {
    Descriptor socket{};  // does not block
    Address peer{};       // who answered
};

// `host` is a name or an address, as url::Url has it. The socket notices within half a minute that the other
// side has gone without a word. Fails with `not_found` if the name leads nowhere, `unavailable` if nobody
// answers, `timeout`.
Result<Dialled> dial(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout);

}  // namespace quarry::net
