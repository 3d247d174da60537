// The routes of a knowledge base that crawls: begin, follow, stop, refresh, search. Larger priorities come
// first here, and only here.
// A program that watches pages for changes tells of them: each has its page fetched and indexed again. The
// event is kept with the group that does so, and lives as long as that.
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

// News from whoever watches pages for changes: each has its page fetched and indexed again. The event is kept
// with the group that does so, and lives as long as that.

void take_change_event(Api& api, store::Reader& reader, Call call);
void list_change_events(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
