// The routes of a knowledge base that crawls: begin, follow, stop, refresh, search. Larger priorities come
// first here, and only here.
// A program that watches pages for changes sends an event for each change. The event has its page fetched and
// indexed again. It is stored with the group that does so, and is removed with it.
#pragma once

#include "api/api.h"
#include "api/routes.h"

namespace quarry::api {

// The routes of a knowledge base that crawls: begin, follow, stop, refresh, search. Larger priorities come
// first here, and only here.

void crawl_knowledge(Api& api, store::Reader& reader, Call call);
void show_progress(Api& api, store::Reader& reader, Call call);
void stop_knowledge_crawl(Api& api, store::Reader& reader, Call call);
void refresh_knowledge(Api& api, store::Reader& reader, Call call);
void search_knowledge(Api& api, store::Reader& reader, Call call);

// Events from programs that watch pages for changes. Each event has its page fetched and indexed again. It is
// stored with the group that does so, and is removed with it.

void take_change_event(Api& api, store::Reader& reader, Call call);
void list_change_events(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
