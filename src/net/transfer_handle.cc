#include "net/transfer_handle.h"

#include <algorithm>
#include <string>

#include "net/body_decoder.h"
#include "net/header_text.h"
#include "net/request_headers.h"

namespace quarry::net {

namespace {

HeaderList header_list_of(const std::vector<Header>& headers) {
    curl_slist* list = nullptr;
    for (const Header& header : headers) {
        // To curl, "Name:" means that the header is not to be sent; "Name;" sends it empty.
        const bool is_empty = trimmed(header.value).empty();
        list = curl_slist_append(list, (header.name + (is_empty ? ";" : ": " + header.value)).c_str());
    }
    list = curl_slist_append(list, ("Accept-Encoding: " + std::string(accepted_encodings)).c_str());
    list = curl_slist_append(
        list, "Expect:");  // Waiting for "100 Continue" costs a second with servers that never send it.
    return HeaderList(list);
}

bool are_same(const std::vector<Header>& a, const std::vector<Header>& b) {
    return std::ranges::equal(a, b, [](const Header& left, const Header& right) {
        return left.name == right.name && left.value == right.value;
    });
}

}  // namespace

TransferHandle::TransferHandle(const HttpConfig& config, CurlMulti& multi)
    : config_(config), multi_(multi), list_(header_list_of({})), easy_(curl_easy_init()) {
    set_common_options();
}

Result<void> TransferHandle::set_headers(const std::vector<Header>& headers) {
    if (are_same(headers, headers_)) return {};
    TRY(check_request_headers(headers));
    HeaderList list = header_list_of(headers);
    curl_easy_setopt(curl(), CURLOPT_HTTPHEADER, list.get());
    list_ = std::move(list);
    headers_ = headers;
    return {};
}

void TransferHandle::reset() {
    curl_easy_reset(curl());
    set_common_options();
}

// curl keeps what it has read of a file of certificates for all connections, but only if there is no folder
// of them as well. Reading the system's for each new connection costs 27 ms, forty times all the rest of it.
void TransferHandle::trust_certificates() {
    const char* file = nullptr;
    curl_easy_getinfo(curl(), CURLINFO_CAINFO, &file);
    if (!config_.ca_file.empty()) file = config_.ca_file.c_str();
    if (!file) return;
    curl_easy_setopt(curl(), CURLOPT_CAINFO, file);
    curl_easy_setopt(curl(), CURLOPT_CAPATH, nullptr);
}

void TransferHandle::set_common_options() {
    multi_.attach(curl());
    curl_easy_setopt(curl(), CURLOPT_HTTPHEADER, list_.get());
    curl_easy_setopt(curl(), CURLOPT_ERRORBUFFER, detail_.data());
    curl_easy_setopt(curl(), CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl(), CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl(), CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl(), CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(curl(), CURLOPT_NETRC, CURL_NETRC_IGNORED);
    curl_easy_setopt(curl(), CURLOPT_USERAGENT, config_.user_agent.c_str());
    curl_easy_setopt(curl(), CURLOPT_NOSIGNAL, 1L);
    // An empty proxy also keeps curl from reading http_proxy and its like from the environment.
    curl_easy_setopt(curl(), CURLOPT_PROXY, config_.proxy.c_str());
    curl_easy_setopt(curl(), CURLOPT_NOPROXY, "");
    curl_easy_setopt(curl(), CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    trust_certificates();
    // Without this, giving up on a lookup waits for the resolver's own timeout, and every other transfer with
    // it.
    curl_easy_setopt(curl(), CURLOPT_QUICK_EXIT, 1L);
}

}  // namespace quarry::net
