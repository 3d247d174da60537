// Sends chunks to embedding services: in batches formed across pages, crawls and imports, several at a time,
// each as large as the service takes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "text/terms/terms.h"
#include "work/indexing/prepared_page.h"

namespace quarry::work {

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
