#include "store/change_batch.h"

#include <algorithm>

#include <boost/json.hpp>

#include "model/json/fields.h"

namespace quarry::store {
namespace {

namespace json = boost::json;

constexpr std::size_t ids_at_once = 500;

void count(const Job& job, Timestamp asked_at, BatchProgress& progress) {
    switch (job.state) {
        case JobState::completed: ++progress.succeeded; return;
        case JobState::failed:
            ++progress.failed;
            progress.last_error = job.last_error;
            return;
        case JobState::cancelled:
        case JobState::paused: return;
        case JobState::running: ++progress.left; return;
        case JobState::queued: break;
    }
    if (!job.tried_at || *job.tried_at < asked_at) {
        ++progress.left;
        return;
    }
    ++progress.failed;
    progress.last_error = job.last_error;
}

}  // namespace

Result<std::vector<JobId>> next_changes(Reader& reader, const std::string& collection,
                                        const std::string& owner, int limit) {
    JobQuery wanted{.filter = {.kind = "embed_page",
                               .states = {JobState::queued},
                               .owner = owner,
                               .collection = collection},
                    .limit = limit,
                    .order = JobQuery::Order::as_leased};
    std::vector<JobId> ids;
    for (const Job& job : TRY(reader.jobs(wanted))) ids.push_back(job.id);
    return ids;
}

Result<BatchProgress> progress_of(Reader& reader, const ChangeBatch& batch) {
    BatchProgress progress;
    for (std::size_t first = 0; first < batch.ids.size(); first += ids_at_once) {
        const auto last = std::min(batch.ids.size(), first + ids_at_once);
        JobQuery wanted{.filter = {.kind = "embed_page"}, .limit = static_cast<int>(ids_at_once)};
        wanted.filter.ids.assign(batch.ids.begin() + static_cast<std::ptrdiff_t>(first),
                                 batch.ids.begin() + static_cast<std::ptrdiff_t>(last));
        for (const Job& job : TRY(reader.jobs(wanted))) count(job, batch.asked_at, progress);
    }
    return progress;
}

json::object record_of(const BatchProgress& progress) {
    return {{"processed", progress.succeeded + progress.failed},
            {"succeeded", progress.succeeded},
            {"failed", progress.failed},
            {"left", progress.left},
            {"last_error",
             progress.last_error.empty() ? json::value(nullptr) : json::value(progress.last_error)}};
}

Result<BatchProgress> parse_batch_progress(const json::value& record) {
    return BatchProgress{.succeeded = TRY(answered_number(record, "succeeded")),
                         .failed = TRY(answered_number(record, "failed")),
                         .left = TRY(answered_number(record, "left")),
                         .last_error = text_in(record, "last_error")};
}

json::object to_json(const ChangeBatch& batch) {
    json::array ids;
    for (const JobId id : batch.ids) ids.push_back(number(id));
    return {{"ids", std::move(ids)}, {"asked_at", batch.asked_at.time_since_epoch().count()}};
}

Result<ChangeBatch> parse_change_batch(const json::value& json) {
    ChangeBatch batch{.asked_at =
                          Timestamp(std::chrono::milliseconds(TRY(answered_number(json, "asked_at"))))};
    const json::value* ids = json.is_object() ? json.get_object().if_contains("ids") : nullptr;
    if (!ids || !ids->is_array()) return fail(ErrorCode::corrupt, "a batch has a list of ids");
    for (const json::value& id : ids->get_array())
        if (id.is_int64()) batch.ids.push_back(JobId{id.get_int64()});
    return batch;
}

}  // namespace quarry::store
