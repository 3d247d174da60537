#include "store/index_progress.h"

#include <algorithm>

#include <boost/json.hpp>

#include "model/json/output.h"

namespace quarry::store {
namespace {

std::int64_t left(const OutboxCounts& counts) {
    return counts.pending + counts.processing;
}

}  // namespace

JobState shown_state(const Group& group, const OutboxCounts& counts) {
    return group.state == JobState::completed && left(counts) > 0 ? JobState::running : group.state;
}

int shown_percent(const Group& group, const OutboxCounts& counts) {
    return left(counts) > 0 ? std::min(99, percent_done(group)) : percent_done(group);
}

bool waits_for_embedder(const OutboxCounts& counts) {
    return counts.pending > 0 && counts.next_due && !counts.last_error.empty();
}

void add_index_progress(boost::json::object& record, const Group& group, Reader& reader) {
    const OutboxCounts counts = reader.outbox_counts("", group.id).value_or(OutboxCounts{});
    record["status"] = name_of(shown_state(group, counts));
    record["state"] = name_of(group.state);
    record["progress"] = shown_percent(group, counts);
    record["pages_waiting"] = left(counts);
    record["waiting_reason"] =
        waits_for_embedder(counts) ? boost::json::value(counts.last_error) : boost::json::value(nullptr);
}

}  // namespace quarry::store
