#include "work/site/site_scope.h"

#include "url/domain.h"

namespace quarry::work {

namespace {

std::string_view without_www(std::string_view host) {
    return host.starts_with("www.") ? host.substr(4) : host;
}

}  // namespace

SiteScope::SiteScope(const url::Url& home, Subdomains subdomains) : host_(without_www(home.host())) {
    if (subdomains == Subdomains::include) domain_ = url::registrable_domain(home.host());
}

bool SiteScope::contains(const url::Url& url) const {
    if (!url.is_http()) return false;
    if (without_www(url.host()) == host_) return true;
    return !domain_.empty() && url::registrable_domain(url.host()) == domain_;
}

}  // namespace quarry::work
