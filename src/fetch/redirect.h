// Who may log in where. Credentials belong to an origin, which is scheme, host and port together, and are for
// the requests of some owners: nobody else's requests, and no request to another origin, ever get them. After
// a redirect to another origin they are gone, as all headers that say who asks (redirect.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/collection.h"
#include "model/page.h"
#include "url/url.h"

namespace quarry::fetch {

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

    // Adds the Authorization that the owner's requests to the URL's origin have. Headers that bring their own
    // stay as they are.
    void add_to(std::vector<Header>& headers, const url::Url& url, std::string_view owner) const;

private:
    std::vector<Credential> all_;
};

}  // namespace quarry::fetch
