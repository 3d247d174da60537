// Where a redirect leads, and what may be told to the server there. Credentials belong to an origin, which is
// scheme, host and port together, and to the requests of certain owners. Requests of other owners, and
// requests to other origins, never get them. After a redirect to another origin, credentials are dropped, and
// so are all headers that say who asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/collection.h"
#include "model/page.h"
#include "url/url.h"

namespace quarry::fetch {

// True if an answer is a redirect: 301, 302, 303, 307 or 308 with a Location. All fetches are GETs, so the
// five mean the same.
bool is_redirect(int status, const std::vector<Header>& headers);

// The URL that a Location header leads to. Credentials in it are dropped; a fragment is inherited. Fails with
// `corrupt` if it is not a URL, and with `refused` if it is neither http nor https.
Result<url::Url> redirect_target(const url::Url& from, std::string_view location);

// True if scheme, host and port are the same. Only then may secrets go along.
bool is_same_origin(const url::Url& a, const url::Url& b);

// The headers that may be sent to another origin. Of a caller's headers only those known to be harmless pass,
// because nobody can list the names under which secrets travel.
std::vector<Header> headers_without_secrets(const std::vector<Header>& headers);

// A login for one origin, and the owners whose requests may use it.
struct Credential {
    std::string origin{};         // as Url::origin() writes it
    std::string authorization{};  // the value of the header
    // Whose requests may use it; "*" means everybody's.
    std::vector<std::string> owners = {std::string(local_owner)};
};

class Credentials {
public:
    Credentials() = default;
    explicit Credentials(std::vector<Credential> all) : all_(std::move(all)) {}

    bool is_empty() const { return all_.empty(); }

    // Adds the Authorization header for the owner's requests to the URL's origin. If `headers` already has
    // one, it stays.
    void add_to(std::vector<Header>& headers, const url::Url& url, std::string_view owner) const;

private:
    std::vector<Credential> all_;
};

}  // namespace quarry::fetch
