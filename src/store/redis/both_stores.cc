#include "store/redis/both_stores.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "store/redis/encoding.h"
#include "store/redis/id_space.h"

namespace quarry::store::redis {

namespace {

constexpr std::string_view kind_of_changes = "embed_page";

std::string_view name_of(BulkChange change) {
    switch (change) {
        case BulkChange::cancel: return "cancel";
        case BulkChange::pause: return "pause";
        case BulkChange::resume: return "resume";
        case BulkChange::retry: return "retry";
        case BulkChange::hasten: break;  // changes of pages are the content store's
        case BulkChange::clear: return "clear";
        case BulkChange::reprioritise: return "reprioritise";
    }
    return "";
}

// Two halves of one call: the second to end answers.
struct Halves {
    std::mutex mutex{};
    std::vector<Verdict> verdicts{};
    std::optional<Error> error{};
    int left = 2;
    Store::FinishCallback callback{};

    void take(const std::vector<std::size_t>& places, Result<std::vector<Verdict>> half) {
        {
            std::lock_guard lock(mutex);
            if (!half) error = half.error();
            for (std::size_t index = 0; half && index < half->size(); ++index)
                verdicts[places[index]] = (*half)[index];
            if (--left > 0) return;
        }
        if (error) return callback(std::unexpected(*error));
        callback(std::move(verdicts));
    }
};

}  // namespace

SplitFilter split_filter(const JobFilter& filter) {
    if (filter.kind == kind_of_changes) return {.of_content = filter};
    if (filter.ids.empty()) return {.of_redis = filter};
    SplitFilter split;
    JobFilter here = filter, there = filter;
    std::erase_if(here.ids, [](JobId id) { return is_of_content(id); });
    std::erase_if(there.ids, [](JobId id) { return !is_of_content(id); });
    if (!here.ids.empty()) split.of_redis = std::move(here);
    if (!there.ids.empty()) split.of_content = std::move(there);
    return split;
}

Result<BulkChanged> change_jobs(const BulkCall& call, const BulkRequest& request) {
    BulkChanged all;
    JobFilter filter = request.filter;
    filter.states = states_of(request);
    if (filter.states.empty()) return all;
    std::int64_t after = 0;
    while (true) {
        Message message;
        message.list(4).add(name_of(request.change));
        add_filter(message, filter);
        message.add(after).add(request.priority);
        const ScriptAnswer answer = TRY(call(message));
        all.changed += answer.result()[0].integer();
        all.known_is_forgotten = all.known_is_forgotten || answer.result()[2].is_true();
        after = answer.result()[1].integer();
        if (after == 0) return all;
    }
}

void finish_both(BothStores stores, std::vector<Finished> finished, Store::FinishCallback callback,
                 Haste haste) {
    auto halves = std::make_shared<Halves>();  // shared by the two callbacks
    halves->callback = std::move(callback);
    halves->verdicts.resize(finished.size(), Verdict::conflict);
    std::vector<Finished> here, there;
    std::vector<std::size_t> places_here, places_there;
    for (std::size_t index = 0; index < finished.size(); ++index) {
        const bool is_there = is_of_content(finished[index].lease.id);
        (is_there ? places_there : places_here).push_back(index);
        (is_there ? there : here).push_back(std::move(finished[index]));
    }
    stores.content.finish(
        std::move(there),
        [halves, places = std::move(places_there)](Result<std::vector<Verdict>> half) {
            halves->take(places, std::move(half));
        },
        haste);
    stores.finisher.submit(
        std::move(here),
        [halves, places = std::move(places_here)](Result<std::vector<Verdict>> half) {
            halves->take(places, std::move(half));
        },
        haste);
}

}  // namespace quarry::store::redis
