// The routes of a knowledge base that crawls: begin, follow, stop, refresh, search. Larger priorities come
// first here, and only here.
#pragma once

#include "api/api.h"

namespace quarry::api {

void crawl_knowledge(Api& api, store::Reader& reader, Call call);
void show_progress(Api& api, store::Reader& reader, Call call);
void stop_knowledge_crawl(Api& api, store::Reader& reader, Call call);
void refresh_knowledge(Api& api, store::Reader& reader, Call call);
void search_knowledge(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
