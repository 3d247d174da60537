// quarry's own API: everything the command line can do, in records without loss (model/json/records.h). The
// command line over a server is its client (app/remote/store.h).
#pragma once

#include "api/api.h"

namespace quarry::api::own {

// Raised when an older command line would misread an answer.
inline constexpr int api_number = 1;

// {"name": "quarry", "version", "api", "salt", "owner"}
void show_server(Api& api, store::Reader& reader, Call call);
void list_workers(Api& api, store::Reader& reader, Call call);
void list_sessions(Api& api, store::Reader& reader, Call call);
void list_session_days(Api& api, store::Reader& reader, Call call);
void list_operations(Api& api, store::Reader& reader, Call call);
void list_operation_days(Api& api, store::Reader& reader, Call call);
void list_requests(Api& api, store::Reader& reader, Call call);
void list_request_days(Api& api, store::Reader& reader, Call call);
void stream_events(Api& api, store::Reader& reader, Call call);

void search(Api& api, store::Reader& reader, Call call);
void search_many(Api& api, store::Reader& reader, Call call);

void list_crawls(Api& api, store::Reader& reader, Call call);
void begin_crawl(Api& api, store::Reader& reader, Call call);
void show_crawl(Api& api, store::Reader& reader, Call call);
void cancel_crawl(Api& api, store::Reader& reader, Call call);
void pause_crawl(Api& api, store::Reader& reader, Call call);
void resume_crawl(Api& api, store::Reader& reader, Call call);
void embed_crawl(Api& api, store::Reader& reader, Call call);
void reprioritise_crawl(Api& api, store::Reader& reader, Call call);
void list_crawl_urls(Api& api, store::Reader& reader, Call call);
void list_crawl_documents(Api& api, store::Reader& reader, Call call);
void show_crawl_timings(Api& api, store::Reader& reader, Call call);

void list_schedules(Api& api, store::Reader& reader, Call call);
void set_schedule(Api& api, store::Reader& reader, Call call);
void remove_schedule(Api& api, store::Reader& reader, Call call);

void list_jobs(Api& api, store::Reader& reader, Call call);
void show_job(Api& api, store::Reader& reader, Call call);
void count_jobs(Api& api, store::Reader& reader, Call call);
void retry_jobs(Api& api, store::Reader& reader, Call call);
void cancel_jobs(Api& api, store::Reader& reader, Call call);
void pause_jobs(Api& api, store::Reader& reader, Call call);
void resume_jobs(Api& api, store::Reader& reader, Call call);
void clear_jobs(Api& api, store::Reader& reader, Call call);
void process_queue(Api& api, store::Reader& reader, Call call);

void show_embedding_queue(Api& api, store::Reader& reader, Call call);
void list_embedding_jobs(Api& api, store::Reader& reader, Call call);
void retry_embedding_jobs(Api& api, store::Reader& reader, Call call);
void clear_embedding_jobs(Api& api, store::Reader& reader, Call call);

void list_collections(Api& api, store::Reader& reader, Call call);
void show_collection(Api& api, store::Reader& reader, Call call);
void show_index(Api& api, store::Reader& reader, Call call);
void set_collection(Api& api, store::Reader& reader, Call call);
void remove_collection(Api& api, store::Reader& reader, Call call);
void drop_vectors(Api& api, store::Reader& reader, Call call);

void list_documents(Api& api, store::Reader& reader, Call call);
void show_document(Api& api, store::Reader& reader, Call call);
void list_chunks(Api& api, store::Reader& reader, Call call);
void write_documents(Api& api, store::Reader& reader, Call call);
void forget_documents(Api& api, store::Reader& reader, Call call);
void index_again(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api::own
