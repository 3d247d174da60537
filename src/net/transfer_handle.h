// A curl handle that serves one transfer after another. What all requests of a client have in common is set
// once, and headers stay as long as the next request brings the same: in a crawl nearly all do.
#pragma once

#include <array>
#include <vector>

#include "base/result.h"
#include "model/page.h"
#include "net/curl_handles.h"
#include "net/curl.h"
#include "net/http_config.h"

namespace quarry::net {

// Internal to the HTTP client and used only on its thread. Config and multi must outlive it.
class TransferHandle {
public:
    TransferHandle(const HttpConfig& config, CurlMulti& multi);

    CURL* curl() const { return easy_.get(); }

    // Sends these and the client's own. Fails with `invalid_argument` if one of them must not be sent.
    Result<void> set_headers(const std::vector<Header>& headers);

    // Has every option forgotten that is not common to all requests, when the transfer is over that has set
    // more than headers, time limits, URL and callback data, which are set each time.
    void reset();

    // curl's own words about why the last transfer failed; "" if it has none.
    const char* detail() const { return detail_.data(); }

    CurlMulti& multi() const { return multi_; }

private:
    void set_common_options();
    void trust_certificates();

    const HttpConfig& config_;
    CurlMulti& multi_;
    std::array<char, CURL_ERROR_SIZE> detail_{};
    std::vector<Header> headers_;  // what list_ was made from
    HeaderList list_;
    EasyHandle easy_;  // goes before what it points to
};

}  // namespace quarry::net
