#include "work/indexer.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/thread_name.h"
#include "work/prepare_page.h"

namespace quarry::work {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_changes = 512;  // between the store and the index
constexpr std::size_t batch_changes = 32;

std::chrono::microseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

// A service's own limit counts tokens of its own: the headings that go along with every chunk need some, too.
text::ChunkLimits limits_for(const CollectionEmbedders::Choice& embedder) {
    text::ChunkLimits limits;
    if (!embedder.service) return limits;
    constexpr int headings = 64;
    const int room = std::max(64, embedder.service->limits().max_input_tokens - headings);
    limits.maximum = std::min(limits.maximum, room);
    limits.target = std::min(limits.target, limits.maximum);
    limits.overlap = std::min(limits.overlap, limits.target / 8);
    return limits;
}

}  // namespace

Indexer::Indexer(store::Store& store, std::shared_ptr<EngineMailbox> mailbox, IndexerConfig config)
    : store_(store), mailbox_(std::move(mailbox)), config_(std::move(config)) {}

Result<std::unique_ptr<Indexer>> Indexer::open(store::Store& store, std::shared_ptr<EngineMailbox> mailbox,
                                               IndexerConfig config) {
    std::unique_ptr<Indexer> indexer(new Indexer(store, std::move(mailbox), std::move(config)));
    Indexer* raw = indexer.get();
    const IndexTools& tools = raw->config_.tools;
    if (!tools.index) return indexer;
    for (int i = 0; i < raw->config_.threads; ++i) raw->readers_.push_back(TRY(raw->config_.open_reader()));
    raw->writer_ = std::make_unique<IndexWriter>(
        IndexWriter::Parts{.store = store,
                           .index = *tools.index,
                           .spaces = tools.spaces,
                           .mailbox = raw->mailbox_,
                           .ended = [traffic = raw->traffic_, mailbox = raw->mailbox_](std::size_t changes) {
                               changes_ended(*traffic, changes);
                               mailbox->post(ChangesDone{});
                           }});
    raw->embedding_ = std::make_unique<EmbeddingPool>(
        [raw](PageInWorkPtr work) { raw->writer_->add(std::move(work)); }, raw->abort_.get_token());
    for (const auto& reader : raw->readers_)
        raw->preparers_.emplace_back([raw, &reader] { raw->prepare(*reader); });
    // What was interrupted, or is due by a newer rule, is seen now.
    if (tools.spaces) {
        const auto collections = TRY(tools.index->collections());
        raw->traffic_->written.insert(collections.begin(), collections.end());
        raw->traffic_->is_settled = collections.empty();
        raw->traffic_->rounds = 1;
        raw->fitter_ = std::jthread([raw](std::stop_token stop) { raw->keep_spaces(stop); });
    }
    return indexer;
}

Indexer::~Indexer() {
    fitter_ = {};
    queue_.close();
    preparers_.clear();
    abort_.request_stop();
    embedding_.reset();
    writer_.reset();
    // The last outcomes are still on their way to the disk.
    std::unique_lock lock(traffic_->mutex);
    traffic_->changed.wait(lock, [&] { return traffic_->changes == 0; });
}

void Indexer::add(Changes changes) {
    if (changes.empty()) return;
    {
        std::lock_guard lock(traffic_->mutex);
        traffic_->changes += changes.size();
    }
    for (std::size_t first = 0; first < changes.size(); first += batch_changes) {
        const auto begin = changes.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(batch_changes, changes.size() - first));
        queue_.push(Changes(std::make_move_iterator(begin), std::make_move_iterator(end)));
    }
}

void Indexer::describe_room(store::Demand& demand) const {
    if (!config_.tools.index) return;
    const std::size_t under_way = [&] {
        std::lock_guard lock(traffic_->mutex);
        return traffic_->changes;
    }();
    // Asking for a few at a time would make small batches of a full queue.
    demand.changes = under_way > max_changes / 2 ? 0 : static_cast<int>(max_changes - under_way);
    demand.change_collection = config_.collection;
}

void Indexer::prepare(store::Reader& reader) {
    name_this_thread("indexer");
    text::TermReader terms;
    while (auto changes = queue_.pop()) prepare_batch(*std::move(changes), reader, terms);
}

void Indexer::prepare_batch(Changes changes, store::Reader& reader, text::TermReader& terms) {
    std::vector<ContentId> wanted;
    for (const store::ChangeLease& change : changes) {
        store_.begin(change.lease);
        if (change.content) wanted.push_back(*change.content);
    }
    auto pages = reader.page_versions(wanted);
    std::map<ContentId, const StoredPage*> by_content;
    if (pages)
        for (const StoredPage& page : *pages) by_content[page.content_id] = &page;
    std::map<std::string, Result<Means>> means;
    for (store::ChangeLease& change : changes) {
        auto work = std::make_unique<PageInWork>();
        work->change = std::move(change);
        const std::string& collection = work->change.collection;
        const auto page = work->change.content ? by_content.find(*work->change.content) : by_content.end();
        if (!pages) {
            work->error = pages.error();
        } else if (page != by_content.end()) {
            if (!means.contains(collection)) means.emplace(collection, means_of(collection, reader));
            const Result<Means>& known = means.at(collection);
            if (known) {
                prepare_page(*work, *page->second, *known, terms);
            } else {
                work->error = known.error();
            }
        } else if (work->change.content) {
            // It was replaced meanwhile: the change that did it comes next, and this one is dropped.
            work->error = Error{ErrorCode::unavailable, "its words are being replaced"};
        }
        forward(std::move(work));
    }
}

Result<Indexer::Means> Indexer::means_of(const std::string& collection, store::Reader& reader) {
    const IndexTools& tools = config_.tools;
    Means means{.embedder = TRY(tools.embedders->ensure(collection, store_, reader, *tools.index))};
    if (!means.embedder.is_builtin() || !tools.spaces) return means;
    means.space = TRY(tools.spaces->current(collection));
    means.next = tools.spaces->next(collection);
    return means;
}

void Indexer::prepare_page(PageInWork& work, const StoredPage& page, const Means& means,
                           text::TermReader& terms) {
    work.embedder = means.embedder;
    const auto started = Clock::now();
    work.page = work::prepare_page(page, work.change.version, limits_for(means.embedder), terms);
    work.timings.chunk = since(started);
    work.space = means.space.version;
    work.page.next_space = means.next.version;
    const auto folding = Clock::now();
    for (index::IndexedChunk& chunk : work.page.chunks) {
        if (means.space.space) chunk.vector = means.space.space->fold_in(chunk.terms);
        if (means.next.space) chunk.next = means.next.space->fold_in(chunk.terms);
    }
    work.timings.embed = since(folding);
}

void Indexer::forward(PageInWorkPtr work) {
    if (config_.tools.spaces && !work->error) {
        std::lock_guard lock(traffic_->mutex);
        traffic_->written.insert(work->change.collection);
        traffic_->is_settled = false;
    }
    if (work->error || !work->embedder.service) {
        writer_->add(std::move(work));
    } else {
        embedding_->add(std::move(work));
    }
}

bool Indexer::is_idle() const {
    std::lock_guard lock(traffic_->mutex);
    return traffic_->changes == 0 && traffic_->is_settled;
}

void Indexer::expect_more(bool more) {
    std::lock_guard lock(traffic_->mutex);
    if (traffic_->more_is_expected == more) return;
    traffic_->more_is_expected = more;
    ++traffic_->rounds;
    traffic_->changed.notify_all();
}

void Indexer::changes_ended(Traffic& traffic, std::size_t changes) {
    std::lock_guard lock(traffic.mutex);
    traffic.changes -= changes;
    ++traffic.rounds;
    traffic.changed.notify_all();
}

// Looks at a collection again each time something was written, and for the last time when nothing is left to
// write.
void Indexer::keep_spaces(std::stop_token stop) {
    name_this_thread("space fitter");
    Traffic& traffic = *traffic_;
    std::uint64_t seen = 0;
    std::unique_lock lock(traffic.mutex);
    while (traffic.changed.wait(lock, stop, [&] { return traffic.rounds != seen && !traffic.is_settled; })) {
        seen = traffic.rounds;
        const bool is_quiet = traffic.changes == 0 && !traffic.more_is_expected;
        const std::set<std::string> collections =
            is_quiet ? std::exchange(traffic.written, {}) : traffic.written;
        lock.unlock();
        for (const std::string& collection : collections)
            renew_if_due(collection, is_quiet ? Spaces::Pressure::idle : Spaces::Pressure::busy, stop);
        if (is_quiet) report(config_.tools.spaces->settle());
        lock.lock();
        traffic.is_settled = traffic.written.empty();
        mailbox_->post(ChangesDone{});
    }
}

void Indexer::renew_if_due(const std::string& collection, Spaces::Pressure pressure, std::stop_token stop) {
    Spaces& spaces = *config_.tools.spaces;
    const auto is_due = spaces.is_due(collection, pressure);
    if (is_due && *is_due) return report(spaces.renew(collection, stop));
    if (!is_due) report(std::unexpected(is_due.error()));
}

// A collection too poor in words to span a space is found by its words. A disk that is full stops the worker.
void Indexer::report(const Result<void>& result) {
    if (result) return;
    const ErrorCode code = result.error().code;
    if (code == ErrorCode::unavailable || code == ErrorCode::corrupt)
        mailbox_->post(StoreFailed{result.error()});
}

}  // namespace quarry::work
