// Which hosts belong to the site that was asked for.
#pragma once

#include <cstdint>
#include <string>

#include "url/url.h"

namespace quarry::work {

enum class Subdomains : std::uint8_t { leave_out, include };

class SiteScope {
public:
    // The site of this URL: its host, with or without "www."; with subdomains, every host of its registrable
    // domain. Scheme and port do not matter. An IP address or a single-label name has no subdomains.
    SiteScope(const url::Url& home, Subdomains subdomains);

    bool contains(const url::Url& url) const;

private:
    std::string host_;    // without "www."
    std::string domain_;  // registrable; "" if only the host itself counts
};

}  // namespace quarry::work
