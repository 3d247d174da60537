// Asks the embedders of collections whose pages wait for them again and again. When one answers its pages are
// due at once, whenever each would have been tried again. Where they wait again all the same, since something
// else is missing, they are made due less and less often.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "store/reader.h"
#include "store/store.h"
#include "work/indexing/collection_embedders.h"

namespace quarry::work {

class ProviderWatch {
public:
    struct Parts {
        store::Store& store;
        CollectionEmbedders& embedders;
        std::unique_ptr<store::Reader> reader{};  // the watch's own
        std::chrono::milliseconds every{10'000};
        std::function<void(std::string)> log{};  // a line about what happened; on any thread
    };
    // Asks first for collections whose pages have been waiting since before.
    explicit ProviderWatch(Parts parts);

    // A page of the collection waits, as the store knows by now: one that it learns of later would not be made
    // due. Any thread.
    void waits(const std::string& collection, const std::string& why);

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Waiting {
        Time since{}, ask_from{};
    };
    struct Answered {
        Time at{};
        int repeats = 0;  // times in a row that pages waited again soon after
    };

    void run(const std::stop_token& stop);
    bool look_for_waiting();
    std::chrono::milliseconds rest_after(int repeats) const;
    bool note(const std::string& collection);
    void ask(const std::string& collection, const std::stop_token& stop);
    void tell(std::string line) const;

    const Parts parts_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::string, Waiting> waiting_;    // by collection
    std::map<std::string, Answered> answered_;  // by collection: when its embedder did last
    std::jthread thread_;
};

}  // namespace quarry::work
