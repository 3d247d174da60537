// One form per page, so that a page reached over ten links is fetched and indexed once.
#pragma once

#include <string>
#include <string_view>

#include "url/url.h"

namespace quarry::url {

// The form of an http(s) URL under which it is remembered. Two URLs with the same canonical form show the
// same page on any sane server; the form itself can be fetched. It differs from href() in this:
//
// - Fragments go: servers never see them. A fragment that is a route (`#/a`, `#!/a`) stays, because there the
//   page's script shows another page; `#/` alone is the start page, the same as none.
// - Credentials go: they say who asks, not for what, and do not belong in an index.
// - Tracking parameters go (is_tracking_parameter). All others stay, in order and as written, even when empty
// or
//   repeated: servers give order and repetition a meaning.
// - A query that is empty or became so goes, with its '?'.
// - Percent-encoding is written one way: upper-case hex, and no encoding of letters, digits and -._~, which
// RFC
//   3986 (6.2.2.2) declares equivalent. Reserved characters stay as they are: `%2F` is not `/`.
//
// Default ports, dot segments, the case of the host and the like are settled by Url::parse already. Kept,
// because they may mean something: `index.html`, a trailing slash, `www.`, the scheme, letter case in paths.
// URLs that are not http(s) only lose their fragment.
std::string canonical(const Url& url);

// Whether a query parameter of this name only serves to follow people around: advertising click ids, campaign
// labels, mailing ids. Letter case does not matter.
bool is_tracking_parameter(std::string_view name);

}  // namespace quarry::url
