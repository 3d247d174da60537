// Sends chunks to embedding services: in batches formed across pages, crawls and imports, several at a
// time, each as large as the service takes.
// A service that does not answer is asked again and again while pages wait for it. When it answers, its
// pages are due at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "store/reader.h"
#include "store/store.h"
#include "text/terms/terms.h"
#include "work/indexing/collection_embedders.h"
#include "work/indexing/prepared_page.h"

namespace quarry::work {

// Asks the embedders of collections whose pages wait for them again and again. When one answers its pages are
// due at once, whenever each would have been tried again. Where they wait again all the same, since something
// else is missing, they are made due less and less often.

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

    // A page of the collection waits, as the store knows by now: one that it learns of later would not be
    // made due. Any thread.
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

// Sends chunks to embedding services: in batches formed across pages, crawls and imports, several at a time,
// each as large as the service takes.

class EmbeddingPool {
public:
    // Gets every page back, with all its vectors or with an error. Called on the pool's threads.
    using Done = std::function<void(PageInWorkPtr)>;

    EmbeddingPool(Done done, std::stop_token abort) : done_(std::move(done)), abort_(std::move(abort)) {}
    // Waits for the pages it was given.
    ~EmbeddingPool();

    void add(PageInWorkPtr page);

private:
    struct Page;
    struct Item {
        std::shared_ptr<Page> page{};  // shared by the batches that its chunks went into
        std::size_t chunk = 0;
        std::string text{};
        int tokens = 0;
    };
    using Batch = std::vector<Item>;

    void run();
    Batch next_batch();
    void embed(Batch batch, text::TermReader& terms, embed::Patience patience = embed::Patience::some);
    void embed_in_halves(Batch batch, text::TermReader& terms, embed::Patience patience);
    void embed_in_pieces(Item item, text::TermReader& terms);
    void give_up(Batch batch, text::TermReader& terms, embed::Patience patience, Error error);
    void end(const Item& item, Result<std::vector<index::IndexedChunk>> pieces);

    const Done done_;
    const std::stop_token abort_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> items_;
    bool closed_ = false;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::work
