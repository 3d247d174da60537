// How far a crawl or a batch has come, with the documents that are finished: the answer that clients poll
// for.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/fwd.hpp>

#include "api/routes.h"
#include "base/result.h"
#include "model/group.h"
#include "store/reader.h"

namespace quarry::api {

struct StatusPage {
    std::int64_t skip = 0;  // documents that the client has
    int limit = 100;        // of documents in one answer
    std::string origin{};   // of this server, as the client reached it
    Timestamp expires_at{};
};

// `next` leads on only if more documents are finished already: clients follow it without a pause.
Result<boost::json::object> crawl_status(store::Reader& reader, const Group& group, const StatusPage& page,
                                         std::string_view self);

}  // namespace quarry::api
