// The rules for following a redirect: where it leads, and what may be told to whoever is there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/page.h"
#include "url/url.h"

namespace quarry::fetch {

// Whether an answer sends us elsewhere: 301, 302, 303, 307 or 308 with a Location. All fetches are GETs, so
// the five mean the same.
bool is_redirect(int status, const std::vector<Header>& headers);

// The URL that a Location header leads to. Credentials in it are dropped, a fragment is inherited. Fails with
// `corrupt` if it is no URL and with `refused` if it is neither http nor https.
Result<url::Url> redirect_target(const url::Url& from, std::string_view location);

// Whether scheme, host and port are the same: only then may secrets go along.
bool is_same_origin(const url::Url& a, const url::Url& b);

// The headers that may be sent to another origin. Of a caller's headers only those known to be harmless pass,
// since nobody can list the names under which secrets travel.
std::vector<Header> headers_without_secrets(const std::vector<Header>& headers);

}  // namespace quarry::fetch
