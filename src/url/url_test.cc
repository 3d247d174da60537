#include "url/url.h"

#include <doctest/doctest.h>

using quarry::ErrorCode;
using quarry::url::Url;

TEST_CASE("the parts of a URL can be read") {
    const Url url = Url::parse("HTTPS://user:p%20w@Example.COM:8443/a/./b/../c?x=1#top").value();

    CHECK(url.href() == "https://user:p%20w@example.com:8443/a/c?x=1#top");
    CHECK(url.scheme() == "https");
    CHECK(url.username() == "user");
    CHECK(url.password() == "p%20w");
    CHECK(url.host() == "example.com");
    CHECK(url.port() == 8443);
    CHECK(url.path() == "/a/c");
    CHECK(url.query() == "x=1");
    CHECK(url.fragment() == "top");
    CHECK(url.origin() == "https://example.com:8443");
    CHECK(url.without_fragment() == "https://user:p%20w@example.com:8443/a/c?x=1");
    CHECK(url.without_credentials() == "https://example.com:8443/a/c?x=1#top");
}
