#include "engine/detour.h"

#include "base/thread_name.h"

namespace quarry::work {

void Detour::add(FetchedUrl fetched) {
    if (is_taken(fetched)) return;
    fetched.was_interrupted = true;
    take_back_(std::move(fetched));
}

bool Detour::is_taken(FetchedUrl& fetched) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    const bool is_first = threads_.empty();
    for (int i = 0; is_first && i < errand_.threads; ++i) threads_.emplace_back([this] { run(); });
    queue_.push(std::move(fetched));
    return true;
}

bool Detour::is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
}

void Detour::close() {
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
    }
    queue_.close();
    threads_.clear();
}

void Detour::run() {
    name_this_thread(errand_.name);
    while (auto fetched = queue_.pop()) {
        if (is_closed()) {
            fetched->was_interrupted = true;
        } else {
            errand_.run(*fetched);
        }
        take_back_(*std::move(fetched));
    }
}

}  // namespace quarry::work
