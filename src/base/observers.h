// Observers, and the one rule for callbacks that outlast a call: the caller that hands out a callback gets a
// token. Once the token is gone, the callback is not running and will not be called again. So a callback may
// use everything that outlives its token, and an owner ends tokens and threads before what they use (members
// are declared in that order, or a destructor does it).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quarry {

template <typename... Arguments>
class Observers {
public:
    using Observer = std::function<void(Arguments...)>;

    // The observer is called on the thread that tells, by one thread at a time. It must only move what it
    // hears elsewhere: other threads wait meanwhile. Dropping the token waits for a call under way, unless
    // that very call drops it. The token may outlive this object.
    [[nodiscard]] std::shared_ptr<void> add(Observer observer) {
        auto entry = std::make_shared<Entry>(std::move(observer));
        {
            const std::lock_guard lock(list_->mutex);
            list_->entries.push_back(entry);
        }
        return std::shared_ptr<void>(entry.get(), [entry, list = list_](void*) {
            {
                const std::lock_guard lock(list->mutex);
                std::erase(list->entries, entry);
            }
            const std::lock_guard lock(entry->mutex);
            entry->is_over = true;
        });
    }

    // Any thread.
    void tell(Arguments... arguments) const {
        std::vector<std::shared_ptr<Entry>> entries;
        {
            const std::lock_guard lock(list_->mutex);
            entries = list_->entries;
        }
        for (const auto& entry : entries) {
            const std::lock_guard lock(entry->mutex);
            if (!entry->is_over) entry->observer(arguments...);
        }
    }

private:
    struct Entry {
        explicit Entry(Observer called) : observer(std::move(called)) {}
        std::recursive_mutex mutex;  // held during a call, which may drop its own token
        const Observer observer;
        bool is_over = false;
    };
    struct List {
        std::mutex mutex;
        std::vector<std::shared_ptr<Entry>> entries;
    };
    const std::shared_ptr<List> list_ = std::make_shared<List>();
};

}  // namespace quarry
