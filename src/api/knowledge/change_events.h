// News from whoever watches pages for changes: each has its page fetched and indexed again. The event is kept
// with the group that does so, and lives as long as that.
#pragma once

#include "api/routes.h"

namespace quarry::api {

void take_change_event(Api& api, store::Reader& reader, Call call);
void list_change_events(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
