// What Firecrawl's v2 API offers, route by route. Each answers the call it is given.
#pragma once

#include "api/api.h"

namespace quarry::api {

void begin_crawl(Api& api, store::Reader& reader, Call call);
void show_crawl(Api& api, store::Reader& reader, Call call);
void show_crawl_errors(Api& api, store::Reader& reader, Call call);
void cancel_crawl(Api& api, store::Reader& reader, Call call);
void list_active_crawls(Api& api, store::Reader& reader, Call call);
void preview_crawl_params(Api& api, store::Reader& reader, Call call);

void begin_batch(Api& api, store::Reader& reader, Call call);
void show_batch(Api& api, store::Reader& reader, Call call);
void show_batch_errors(Api& api, store::Reader& reader, Call call);
void cancel_batch(Api& api, store::Reader& reader, Call call);

void scrape_page(Api& api, store::Reader& reader, Call call);
void show_media(Api& api, store::Reader& reader, Call call);
void show_scrape(Api& api, store::Reader& reader, Call call);
void parse_file(Api& api, store::Reader& reader, Call call);
void map_site(Api& api, store::Reader& reader, Call call);
void search_pages(Api& api, store::Reader& reader, Call call);

void show_credit_usage(Api& api, store::Reader& reader, Call call);
void show_token_usage(Api& api, store::Reader& reader, Call call);
void show_credit_history(Api& api, store::Reader& reader, Call call);
void show_token_history(Api& api, store::Reader& reader, Call call);
void show_queue_status(Api& api, store::Reader& reader, Call call);
void show_concurrency(Api& api, store::Reader& reader, Call call);

// What needs a language model.
void begin_extract(Api& api, store::Reader& reader, Call call);
void show_extract(Api& api, store::Reader& reader, Call call);

// What only Firecrawl's own cloud has.
void refuse_cloud_only(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
