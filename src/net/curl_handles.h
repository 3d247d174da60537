// Owners for curl's C handles.
#pragma once

#include <memory>

#include <curl/curl.h>

namespace quarry::net {

struct CleanUpEasy {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct CleanUpMulti {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct CleanUpUrl {
    void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// To be called before any handle is made; any thread.
void ensure_curl_is_initialised();

using EasyHandle = std::unique_ptr<CURL, CleanUpEasy>;
using MultiHandle = std::unique_ptr<CURLM, CleanUpMulti>;
using UrlHandle = std::unique_ptr<CURLU, CleanUpUrl>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

}  // namespace quarry::net
