// The threads that read pages: from the bytes of an answer to an outcome in the store. Pages that take
// seconds, in a browser or with a language model, have threads of their own, so that they delay neither
// fetching nor reading.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/queues.h"
#include "fetch/pdf/pdf.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/engine_messages.h"
#include "work/page/fetch_page.h"
#include "work/page/model_answers.h"
#include "work/page/rendering.h"

namespace quarry::work {

// The threads for pages that take seconds on their way to the store, in a browser or with a language model.
// The threads that fetch and read stay free for other pages.
class SlowStage {
public:
    struct Task {
        const char* name = "";  // of its threads
        int threads = 1;        // that begin with the first page
        std::function<void(FetchedUrl&)> run{};
    };
    using Resume = std::function<void(FetchedUrl)>;

    SlowStage(Task task, Resume resume) : errand_(std::move(task)), resume_(std::move(resume)) {}
    ~SlowStage() { close(); }
    SlowStage(const SlowStage&) = delete;
    SlowStage& operator=(const SlowStage&) = delete;

    // Gives the page back when the task is done, on a thread of this stage, or at once if the stage is
    // closed. Any thread may call this.
    void add(FetchedUrl fetched);

    // Waits for the pages under way. The pages that wait come back as interrupted.
    void close();

private:
    bool is_taken(FetchedUrl& fetched);
    bool is_closed();
    void run();

    const Task errand_;
    const Resume resume_;
    WorkQueue<FetchedUrl> queue_;
    std::mutex mutex_;  // nothing is added once it is closed
    bool is_closed_ = false;
    std::vector<std::jthread> threads_;
};

struct PagePoolConfig {
    int threads = 2;
    std::uint64_t body_budget = 64ull << 20;  // bytes of bodies between the wire and the store
    std::size_t page_budget = 512;            // pages between the wire and the store
    fetch::PdfLimits pdf{};
    std::function<Result<std::unique_ptr<store::Reader>>()> open_reader{};
    RenderTools rendering{};
    AnswerTools answering{};
    std::stop_token abort{};  // ends pages in a slow stage at once
};

class PagePool {
public:
    static Result<std::unique_ptr<PagePool>> open(store::Store& store, std::shared_ptr<EngineMailbox> mailbox,
                                                  PagePoolConfig config);
    // Waits until every page that it was given is in the store.
    ~PagePool();

    // Takes a page. Never blocks: the dispatcher asks for room before it fetches. Any thread may call this.
    void add(FetchedUrl fetched);

    // True if there is room for more pages. If there was none, PagesDone is posted once there is.
    bool has_room();
    // True if every page that it was given is in the store.
    bool is_idle() const { return traffic_->pages == 0; }

private:
    // The pages between the wire and the store. The callback of the last outcome may still use this when the
    // pool is gone, so the two share it.
    struct Traffic {
        std::uint64_t body_budget = 0;
        std::size_t page_budget = 0;
        std::atomic<std::uint64_t> bytes = 0;
        std::atomic<std::size_t> pages = 0;
        std::atomic<std::size_t> in_slow_stages = 0;  // of these; other pages must not wait for them
        std::atomic<bool> room_is_awaited = false;

        bool is_within_budget() const { return bytes < body_budget && pages - in_slow_stages < page_budget; }
        void leave(std::uint64_t page_bytes, EngineMailbox& mailbox);
        void make_room(EngineMailbox& mailbox);
    };

    PagePool(store::Store& store, std::shared_ptr<EngineMailbox> mailbox, PagePoolConfig config);

    void read_pages(store::Reader& reader);
    void send(FetchedUrl fetched, SlowStage& stage);
    void resume(FetchedUrl fetched);
    void finish(FetchedUrl fetched, store::Outcome outcome);
    void note_health(const FetchedUrl& fetched, const store::Outcome& outcome);

    store::Store& store_;
    std::shared_ptr<EngineMailbox> mailbox_;
    PagePoolConfig config_;
    WorkQueue<FetchedUrl> queue_;
    Renderer renderer_;
    SlowStage showing_, answering_;
    std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
    std::vector<std::unique_ptr<store::Reader>> readers_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::work
