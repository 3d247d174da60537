#include "work/indexing/index_writer.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/threads.h"

namespace quarry::work {
namespace {

// Enough to make a commit cheap, little enough to be quick.
constexpr std::size_t chunks_per_commit = 4'000;

}  // namespace

IndexWriter::IndexWriter(Parts parts) : parts_(std::move(parts)), thread_([this] { run(); }) {}

IndexWriter::~IndexWriter() {
    {
        std::lock_guard lock(mutex_);
        closed_ = true;
    }
    changed_.notify_all();
}

void IndexWriter::add(PageInWorkPtr page) {
    {
        std::lock_guard lock(mutex_);
        queue_.push_back(std::move(page));
    }
    changed_.notify_one();
}

void IndexWriter::run() {
    name_this_thread("index writer");
    while (true) {
        Pages pages = take();
        if (pages.empty()) return;
        write(std::move(pages));
    }
}

// What has gathered while the last commit was under way.
IndexWriter::Pages IndexWriter::take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    Pages pages;
    std::size_t chunks = 0;
    while (!queue_.empty() && (pages.empty() || chunks < chunks_per_commit)) {
        chunks += queue_.front()->page.chunks.size();
        pages.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    return pages;
}

void IndexWriter::write(Pages pages) {
    const auto failed = std::ranges::stable_partition(pages, [](const auto& page) { return !page->error; });
    const std::span good(pages.begin(), failed.begin());
    std::ranges::stable_sort(good, {}, [](const auto& page) { return page->change.collection; });
    for (auto first = good.begin(); first != good.end();) {
        const std::string collection = (*first)->change.collection;
        const auto last = std::find_if(
            first, good.end(), [&](const auto& page) { return page->change.collection != collection; });
        write_collection(collection, {first, last});
        first = last;
    }
    finish(std::move(pages));
}

void IndexWriter::write_collection(const std::string& collection, std::span<PageInWorkPtr> pages) {
    const auto started = std::chrono::steady_clock::now();
    auto written = replace(collection, pages);
    if (!written && written.error().code == ErrorCode::corrupt && parts_.damaged) {
        parts_.damaged(written.error());
        written.error().code = ErrorCode::interrupted;
    }
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
    for (const PageInWorkPtr& page : pages) {
        page->timings.index = page->timings.words + took / static_cast<std::int64_t>(pages.size());
        if (!written) page->error = written.error();
    }
}

Result<void> IndexWriter::replace(const std::string& collection, std::span<PageInWorkPtr> pages) {
    std::shared_lock<std::shared_mutex> hold;
    if (parts_.spaces) {
        hold = parts_.spaces->hold();
        TRY(fold_again(collection, pages));
    }
    std::vector<index::IndexedPage> replaced;
    std::vector<index::RemovedPage> removed;
    for (const PageInWorkPtr& page : pages) {
        page->timings.chunks = static_cast<int>(page->page.chunks.size());
        if (page->change.content) {
            replaced.push_back(std::move(page->page));
        } else {
            removed.push_back({page->change.page, page->change.version});
        }
    }
    if (!replaced.empty()) TRY(parts_.index.replace(collection, std::move(replaced)));
    if (!removed.empty()) TRY(parts_.index.remove(collection, removed));
    return {};
}

// The space may have been renewed since these were folded in, or dropped: then words alone find them until
// the next one is fitted. A removal has no embedder, so each page is asked for its own.
Result<void> IndexWriter::fold_again(const std::string& collection, std::span<PageInWorkPtr> pages) {
    std::optional<Spaces::Current> current;
    for (const PageInWorkPtr& page : pages) {
        if (!page->change.content || !page->embedder.is_builtin()) continue;
        if (!current) current = TRY(parts_.spaces->current(collection));
        if (page->space == current->version) continue;
        const bool was_next = current->version != 0 && page->page.next_space == current->version;
        for (index::IndexedChunk& chunk : page->page.chunks) {
            if (was_next) {
                chunk.vector = std::move(chunk.next);
            } else if (current->space) {
                chunk.vector = current->space->fold_in(chunk.terms);
            } else {
                chunk.vector.clear();
            }
        }
        page->space = current->version;
    }
    return {};
}

void IndexWriter::finish(Pages pages) {
    const Timestamp now = parts_.store.now();
    std::vector<store::Finished> finished;
    Ended ended{.changes = pages.size()};
    for (PageInWorkPtr& page : pages) {
        if (!page->error) {
            ++ended.indexed;
            ended.chunks += static_cast<std::size_t>(page->timings.chunks);
        } else if (page->waits_for_embedder) {
            ended.waiting.try_emplace(page->change.collection, page->error->message);
        }
        store::Outcome outcome = page->error ? outcome_of(*page->error, page->change, parts_.backoff, now)
                                             : store::Outcome{.end = store::Completed{}};
        outcome.timings = page->timings;
        finished.push_back({page->change.lease, std::move(outcome)});
    }
    parts_.store.finish(std::move(finished), [mailbox = parts_.mailbox, tell = parts_.ended,
                                              ended](const Result<std::vector<store::Verdict>>& verdicts) {
        if (!verdicts) mailbox->post(StoreFailed{verdicts.error()});
        tell(ended);
    });
}

}  // namespace quarry::work
