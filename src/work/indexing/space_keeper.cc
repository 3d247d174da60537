#include "work/indexing/space_keeper.h"

#include <utility>

#include "base/thread_name.h"

namespace quarry::work {

SpaceKeeper::SpaceKeeper(Parts parts, const std::vector<std::string>& collections)
    : parts_(std::move(parts)),
      written_(collections.begin(), collections.end()),
      is_settled_(collections.empty()),
      thread_([this](std::stop_token stop) { run(stop); }) {}

void SpaceKeeper::written(const std::string& collection) {
    const std::lock_guard lock(mutex_);
    written_.insert(collection);
    is_settled_ = false;
}

void SpaceKeeper::look_again() {
    const std::lock_guard lock(mutex_);
    ++rounds_;
    changed_.notify_all();
}

bool SpaceKeeper::is_settled() const {
    const std::lock_guard lock(mutex_);
    return is_settled_;
}

// Looks at a collection again each time something was written, and for the last time when nothing is left to
// write.
void SpaceKeeper::run(std::stop_token stop) {
    name_this_thread("space fitter");
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return rounds_ != seen && !is_settled_; })) {
        seen = rounds_;
        // What is marked after this question belongs to a later round.
        const bool is_quiet = parts_.is_quiet();
        const std::set<std::string> collections = is_quiet ? std::exchange(written_, {}) : written_;
        lock.unlock();
        for (const std::string& collection : collections)
            renew_if_due(collection, is_quiet ? Spaces::Pressure::idle : Spaces::Pressure::busy, stop);
        if (is_quiet) report(parts_.spaces.settle());
        lock.lock();
        is_settled_ = written_.empty();
        parts_.looked();
    }
}

void SpaceKeeper::renew_if_due(const std::string& collection, Spaces::Pressure pressure,
                               std::stop_token stop) {
    const auto is_due = parts_.spaces.is_due(collection, pressure);
    if (is_due && *is_due) return report(parts_.spaces.renew(collection, stop));
    if (!is_due) report(std::unexpected(is_due.error()));
}

// A collection too poor in words to span a space is found by its words. A disk that is full is not to be
// passed over.
void SpaceKeeper::report(const Result<void>& result) {
    if (result) return;
    const ErrorCode code = result.error().code;
    if (code == ErrorCode::unavailable || code == ErrorCode::corrupt) parts_.failed(result.error());
}

}  // namespace quarry::work
