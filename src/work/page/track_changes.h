// What has become of a page since it was stored last, in the fields of Firecrawl's changeTracking.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "model/document.h"
#include "store/reader.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

// {"previousScrapeAt", "changeStatus": new|same|changed|removed, "visibility", "diff"?: {"text", "json"}}. A
// page is compared with its last version that is still stored; without one, or if that was an error, it is
// new.
Result<boost::json::object> change_of(const FetchedUrl& fetched, const Document& document,
                                      store::Reader& reader);

}  // namespace quarry::work
