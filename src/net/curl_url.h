// Hands a URL to curl only if curl understands it as we do. Two parsers that disagree about a host are a way
// around every policy (`http://127.0.0.1\@evil/`), and curl's differs from the standard's in many places.
#pragma once

#include "base/result.h"
#include "net/curl_handles.h"
#include "url/url.h"

namespace quarry::net {

// Without credentials and fragment. Fails with `invalid_argument` if the scheme is not http or https, or if
// curl reads another scheme, host or port out of it.
Result<UrlHandle> to_curl_url(const url::Url& url);

}  // namespace quarry::net
