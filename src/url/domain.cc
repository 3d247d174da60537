#include "url/domain.h"

#include <string>

#include <libpsl.h>

#include "url/host.h"

namespace quarry::url {

namespace {

// No DNS name is longer; libpsl copies names and needs no more.
constexpr std::size_t max_domain_bytes = 253;

std::string_view without_root_dot(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    return host;
}

// Names with empty labels are none that anybody could register.
bool is_domain(std::string_view host) {
    const bool well_formed = !host.empty() && host.size() <= max_domain_bytes && !host.starts_with('.') &&
                             !host.ends_with('.') && host.find("..") == std::string_view::npos;
    return well_formed && !is_ip_address(host);
}

}  // namespace

std::string_view registrable_domain(std::string_view host) {
    host = without_root_dot(host);
    if (!is_domain(host)) return {};
    const std::string name(host);  // libpsl wants a terminating zero
    const char* domain = psl_registrable_domain(psl_builtin(), name.c_str());
    if (domain == nullptr) return {};
    return host.substr(static_cast<std::size_t>(domain - name.c_str()));
}

bool is_public_suffix(std::string_view host) {
    host = without_root_dot(host);
    return is_domain(host) && psl_is_public_suffix(psl_builtin(), std::string(host).c_str()) != 0;
}

bool is_ip_address(std::string_view host) {
    return host.starts_with('[') || ends_in_number(host);
}

}  // namespace quarry::url
