// Writes pages into the index and then ends their changes in the store: many at a time, one commit each. The
// order matters: a change that is done is in the index, whatever happens in between.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "index/index.h"
#include "store/store.h"
#include "text/terms/terms.h"
#include "work/engine_messages.h"
#include "work/indexing/builtin_spaces.h"
#include "work/indexing/prepared_page.h"

namespace quarry::work {

class IndexWriter {
public:
    // What became of changes that are over for now.
    struct Ended {
        std::size_t changes = 0;
        std::size_t indexed = 0, chunks = 0;
        std::map<std::string, std::string>
            waiting{};  // collections with pages that wait for their embedder: why
    };
    struct Parts {
        store::Store& store;
        index::Index& index;
        Spaces* spaces = nullptr;
        std::shared_ptr<EngineMailbox> mailbox{};
        std::function<void(const Error&)> damaged{};  // as IndexTools has it
        std::function<void(const Ended&)> ended{};    // on the store's thread
        Backoff backoff = embedding_backoff;
    };
    explicit IndexWriter(Parts parts);
    // Writes what it was given.
    ~IndexWriter();

    void add(PageInWorkPtr page);

private:
    using Pages = std::vector<PageInWorkPtr>;

    void run();
    Pages take();
    void write(Pages pages);
    void write_collection(const std::string& collection, std::span<PageInWorkPtr> pages);
    Result<void> replace(const std::string& collection, std::span<PageInWorkPtr> pages);
    Result<void> fold_again(const std::string& collection, std::span<PageInWorkPtr> pages);
    void finish(Pages pages);

    const Parts parts_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<PageInWorkPtr> queue_;
    bool closed_ = false;
    std::jthread thread_;
};

}  // namespace quarry::work
