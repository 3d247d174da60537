#include "work/indexing/embedding.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/guarded.h"
#include "base/threads.h"
#include "text/chunks/chunk_markdown.h"
#include "work/indexing/prepared_page.h"

namespace quarry::work {

using std::chrono::steady_clock;

ProviderWatch::ProviderWatch(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ProviderWatch::waits(const std::string& collection, const std::string& why) {
    {
        std::lock_guard lock(mutex_);
        if (!note(collection)) return;
    }
    changed_.notify_all();
    tell(fmt::format("embedding waits collection={} error=\"{}\"", collection, why));
}

// With the lock. False if it is noted already.
bool ProviderWatch::note(const std::string& collection) {
    const auto [entry, is_new] = waiting_.try_emplace(collection);
    if (!is_new) return false;
    const Time now = steady_clock::now();
    entry->second = {.since = now, .ask_from = now};
    const auto answered = answered_.find(collection);
    if (answered == answered_.end()) return true;
    const auto rest = rest_after(answered->second.repeats);
    if (now - answered->second.at > 2 * rest)
        answered_.erase(answered);
    else
        entry->second.ask_from = answered->second.at + rest;
    return true;
}

std::chrono::milliseconds ProviderWatch::rest_after(int repeats) const {
    constexpr int most_doublings = 5;
    return parts_.every * (1 << std::min(repeats, most_doublings));
}

void ProviderWatch::run(const std::stop_token& stop) {
    name_this_thread("provider watch");
    while (!look_for_waiting())
        if (!pause_for(parts_.every, stop)) return;
    while (!stop.stop_requested()) {
        std::vector<std::string> collections;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
            const Time now = steady_clock::now();
            for (const auto& [collection, waiting] : waiting_)
                if (waiting.ask_from <= now) collections.push_back(collection);
        }
        for (const std::string& collection : collections)
            if (!stop.stop_requested()) ask(collection, stop);
        pause_for(parts_.every, stop);
    }
}

// What a process before this one left behind. False if the store could not say.
bool ProviderWatch::look_for_waiting() {
    const auto waiting = parts_.reader->outbox_counts("", std::nullopt);
    if (!waiting) return false;
    if (!waiting->next_due) return true;
    const auto counts = parts_.reader->job_counts({.kind = "embed_page", .states = {JobState::queued}});
    if (!counts) return false;
    std::lock_guard lock(mutex_);
    for (const store::StateCount& count : *counts) note(count.collection);
    return true;
}

void ProviderWatch::ask(const std::string& collection, const std::stop_token& stop) {
    if (!parts_.embedders.try_out(collection, *parts_.reader, stop)) return;
    Time since;
    {
        // Before the pages are hastened: whichever waits again is noted again.
        std::lock_guard lock(mutex_);
        since = waiting_.at(collection).since;
        waiting_.erase(collection);
        Answered& answered = answered_[collection];
        answered.repeats += answered.at == Time{} ? 0 : 1;
        answered.at = steady_clock::now();
    }
    const auto hastened = parts_.store.hasten({.states = {JobState::queued}, .collection = collection});
    if (!hastened) {
        std::lock_guard lock(mutex_);
        note(collection);
        return;
    }
    if (*hastened == 0) return;
    const auto away = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - since);
    tell(fmt::format("embedding goes on collection={} pages={} waited_ms={}", collection, *hastened,
                     away.count()));
}

void ProviderWatch::tell(std::string line) const {
    if (parts_.log) parts_.log(std::move(line));
}

namespace {

// How long a batch that is not full waits for company.
constexpr std::chrono::milliseconds longest_gathering{2};

// Errors that a text may cause. The others are about the service: its key, its model, our own end.
bool may_be_of_text(ErrorCode code) {
    return code != ErrorCode::refused && code != ErrorCode::conflict && code != ErrorCode::interrupted;
}

// What became of a call. That too many were made says nothing of the texts.
struct Asked {
    Result<std::vector<embed::Vector>> vectors;
    bool is_overload = false;
};

Asked ask(embed::Embedder& service, std::span<const std::string> texts, const embed::Asking& asking) {
    const std::uint64_t overloads = service.times_overloaded();
    Asked asked{service.embed(texts, asking)};
    asked.is_overload = !asked.vectors && service.times_overloaded() != overloads;
    return asked;
}

}  // namespace

// A page whose chunks are with the service. A chunk may come back as several: what was too long was cut.
struct EmbeddingPool::Page {
    PageInWorkPtr work;
    std::vector<std::vector<index::IndexedChunk>> pieces;  // by chunk; each is touched by one thread
    std::atomic<std::size_t> left = 0;
    std::atomic<std::int64_t> microseconds = 0;
    Guarded<std::optional<Error>> error;
    std::atomic<bool> has_failed = false;
};

EmbeddingPool::~EmbeddingPool() {
    {
        std::lock_guard lock(mutex_);
        closed_ = true;
    }
    changed_.notify_all();
    threads_.clear();
}

void EmbeddingPool::add(PageInWorkPtr work) {
    auto page = std::make_shared<Page>();
    page->work = std::move(work);
    const std::vector<index::IndexedChunk>& chunks = page->work->page.chunks;
    page->pieces.resize(chunks.size());
    page->left = chunks.size();
    if (chunks.empty()) return done_(std::move(page->work));
    const int in_flight = std::clamp(page->work->embedder.service->limits().requests_in_flight, 1, 16);
    {
        std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            std::string text = embedding_text(chunks[i].chunk);
            const int tokens = text::estimate_tokens(text);
            items_.push_back({.page = page, .chunk = i, .text = std::move(text), .tokens = tokens});
        }
        while (static_cast<int>(threads_.size()) < in_flight) threads_.emplace_back([this] { run(); });
    }
    changed_.notify_all();
}

void EmbeddingPool::run() {
    name_this_thread("embedder");
    text::TermReader terms;
    while (true) {
        Batch batch = next_batch();
        if (batch.empty()) return;
        embed(std::move(batch), terms);
    }
}

// The oldest chunk, and those behind it that fit into the same request.
EmbeddingPool::Batch EmbeddingPool::next_batch() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return {};
    const auto service = items_.front().page->work->embedder.service;
    const embed::EmbedderLimits limits = service->limits();
    const auto full = static_cast<std::size_t>(std::max(1, limits.max_batch));
    if (items_.size() < full && !closed_)
        changed_.wait_for(lock, longest_gathering, [&] { return closed_ || items_.size() >= full; });
    Batch batch;
    int tokens = 0;
    while (!items_.empty() && batch.size() < full) {
        Item& item = items_.front();
        const bool fits = batch.empty() || tokens + item.tokens <= limits.max_batch_tokens;
        if (!fits || item.page->work->embedder.service != service) break;
        tokens += item.tokens;
        batch.push_back(std::move(item));
        items_.pop_front();
    }
    // Somebody else has taken them while this thread was patient: the next round waits for more.
    if (batch.empty() && !closed_) {
        lock.unlock();
        return next_batch();
    }
    return batch;
}

void EmbeddingPool::embed(Batch batch, text::TermReader& terms, embed::Patience patience) {
    std::erase_if(batch, [&](const Item& item) {
        const bool is_over = item.page->has_failed;
        if (is_over) end(item, std::vector<index::IndexedChunk>{});
        return is_over;
    });
    if (batch.empty()) return;
    std::vector<std::string> texts;
    for (const Item& item : batch) texts.push_back(item.text);
    const auto started = std::chrono::steady_clock::now();
    auto [vectors, is_overload] = ask(*batch.front().page->work->embedder.service, texts, {abort_, patience});
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started);
    for (const Item& item : batch)
        item.page->microseconds += took.count() / static_cast<std::int64_t>(batch.size());
    if (!vectors && vectors.error().code == ErrorCode::too_large)
        return embed_in_halves(std::move(batch), terms, patience);
    if (is_overload) {
        for (const Item& item : batch) end(item, std::unexpected(vectors.error()));
        return;
    }
    if (!vectors) return give_up(std::move(batch), terms, patience, std::move(vectors.error()));
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Item& item = batch[i];
        std::vector<index::IndexedChunk> pieces(1);
        pieces[0] = std::move(item.page->work->page.chunks[item.chunk]);
        pieces[0].vector = std::move((*vectors)[i]);
        end(item, std::move(pieces));
    }
}

// A service that embeds nothing at all costs its pages time and no attempt. One that embeds other texts is
// asked for fewer of these, until those that it cannot embed stand alone.
void EmbeddingPool::give_up(Batch batch, text::TermReader& terms, embed::Patience patience, Error error) {
    const bool others_work =
        may_be_of_text(error.code) && batch.front().page->work->embedder.service->try_out(abort_);
    if (others_work && (batch.size() > 1 || patience == embed::Patience::some)) {
        if (batch.size() > 1) return embed_in_halves(std::move(batch), terms, embed::Patience::none);
        return embed(std::move(batch), terms, embed::Patience::none);
    }
    if (others_work) {
        error = {ErrorCode::invalid_argument, error.message + "; other texts are embedded"};
    } else if (may_be_of_text(error.code)) {
        error.code = ErrorCode::unavailable;
    }
    for (const Item& item : batch) end(item, std::unexpected(error));
}

// One of them is too long for the model, or cannot be embedded, and the service does not say which.
void EmbeddingPool::embed_in_halves(Batch batch, text::TermReader& terms, embed::Patience patience) {
    if (batch.size() == 1) return embed_in_pieces(std::move(batch.front()), terms);
    const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
    Batch second(std::make_move_iterator(middle), std::make_move_iterator(batch.end()));
    batch.erase(middle, batch.end());
    embed(std::move(batch), terms, patience);
    embed(std::move(second), terms, patience);
}

// Cuts until the service is content. What cannot be cut any more is an error of the page, never left out
// silently.
void EmbeddingPool::embed_in_pieces(Item item, text::TermReader& terms) {
    std::vector<index::IndexedChunk> pieces;
    std::deque<Chunk> waiting{item.page->work->page.chunks[item.chunk].chunk};
    while (!waiting.empty()) {
        Chunk chunk = std::move(waiting.front());
        waiting.pop_front();
        const std::string text = embedding_text(chunk);
        auto [vectors, is_overload] = ask(*item.page->work->embedder.service, {&text, 1}, abort_);
        if (vectors) {
            text::TermBag bag = terms_of(chunk, terms);
            pieces.push_back({std::move(chunk), std::move(bag), std::move(vectors->front())});
            continue;
        }
        const auto halves = text::halve(chunk);
        if (is_overload) return end(item, std::unexpected(vectors.error()));
        if (vectors.error().code != ErrorCode::too_large) {
            Batch alone;
            alone.push_back(std::move(item));
            return give_up(std::move(alone), terms, embed::Patience::none, std::move(vectors.error()));
        }
        if (halves.empty()) return end(item, std::unexpected(vectors.error()));
        waiting.insert(waiting.begin(), halves.begin(), halves.end());
    }
    end(item, std::move(pieces));
}

void EmbeddingPool::end(const Item& item, Result<std::vector<index::IndexedChunk>> pieces) {
    Page& page = *item.page;
    if (pieces) {
        page.pieces[item.chunk] = *std::move(pieces);
    } else {
        page.has_failed = true;
        page.error.with([&](auto& error) { error = pieces.error(); });
    }
    if (--page.left > 0) return;
    PageInWorkPtr work = std::move(page.work);
    work->error = page.error.with([](auto& error) { return error; });
    work->timings.embed = std::chrono::microseconds(page.microseconds);
    work->page.chunks.clear();
    for (auto& chunk : page.pieces)
        std::move(chunk.begin(), chunk.end(), std::back_inserter(work->page.chunks));
    done_(std::move(work));
}

}  // namespace quarry::work
