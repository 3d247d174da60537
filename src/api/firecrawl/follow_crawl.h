// A crawl or a batch over a WebSocket: what is finished already, then each document as it comes, then the
// end.
#pragma once

#include "api/api.h"
#include "base/result.h"
#include "model/group.h"

namespace quarry::api {

// The upgrade is accepted also if there is no such crawl: clients crash when it is refused, and understand
// being told.
void follow_crawl(Api& api, store::Reader& reader, Call call, const Result<Group>& group);

}  // namespace quarry::api
