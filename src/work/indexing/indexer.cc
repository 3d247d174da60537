#include "work/indexing/indexer.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "base/threads.h"
#include "work/indexing/prepared_page.h"

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

// The words of these, as far as they are there. One that is damaged is no fault of the others.
std::map<ContentId, Result<StoredPage>> pages_of(store::Reader& reader,
                                                 const std::vector<ContentId>& wanted) {
    std::map<ContentId, Result<StoredPage>> pages;
    auto found = reader.page_versions(wanted);
    if (found) {
        for (StoredPage& page : *found) pages.emplace(page.content_id, std::move(page));
        return pages;
    }
    const bool is_of_one = found.error().code == ErrorCode::corrupt && wanted.size() > 1;
    for (const ContentId content : wanted) {
        if (is_of_one)
            pages.merge(pages_of(reader, {content}));
        else
            pages.emplace(content, std::unexpected(found.error()));
    }
    return pages;
}

// Whatever is wrong with the embedder of a collection is no fault of the page that asks for it.
void wait_for_embedder(PageInWork& work, Error error) {
    if (!waits(error.code)) error.code = ErrorCode::unavailable;
    work.waits_for_embedder = error.code != ErrorCode::interrupted;
    work.error = std::move(error);
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
                           .damaged = tools.damaged,
                           .ended =
                               [traffic = raw->traffic_, mailbox = raw->mailbox_, log = tools.log,
                                raw](const IndexWriter::Ended& ended) {
                                   // The watch is there until all changes have ended.
                                   for (const auto& [collection, why] : ended.waiting)
                                       raw->watch_->waits(collection, why);
                                   changes_ended(*traffic, ended, log);
                                   mailbox->post(ChangesDone{});
                               },
                           .backoff = tools.backoff});
    raw->watch_ =
        std::make_unique<ProviderWatch>(ProviderWatch::Parts{.store = store,
                                                             .embedders = *tools.embedders,
                                                             .reader = TRY(raw->config_.open_reader()),
                                                             .every = tools.ask_again_every,
                                                             .log = tools.log});
    raw->embedding_ = std::make_unique<EmbeddingPool>(
        [raw](PageInWorkPtr work) {
            if (work->error && waits(work->error->code)) wait_for_embedder(*work, *work->error);
            raw->writer_->add(std::move(work));
        },
        raw->abort_.get_token());
    for (const auto& reader : raw->readers_)
        raw->preparers_.emplace_back([raw, &reader] { raw->prepare(*reader); });
    if (tools.spaces) TRY(raw->keep_spaces());
    if (tools.follower)
        tools.follower->on_progress([mailbox = raw->mailbox_] { mailbox->post(ChangesDone{}); });
    return indexer;
}

Result<void> Indexer::keep_spaces() {
    const auto collections = TRY(config_.tools.index->collections());
    traffic_->keeper = std::make_shared<SpaceKeeper>(
        SpaceKeeper::Parts{.spaces = *config_.tools.spaces,
                           .is_quiet =
                               [this] {
                                   std::lock_guard lock(traffic_->mutex);
                                   return traffic_->changes == 0 && !traffic_->more_is_expected;
                               },
                           .looked = [mailbox = mailbox_] { mailbox->post(ChangesDone{}); },
                           .failed =
                               [mailbox = mailbox_, damaged = config_.tools.damaged](const Error& error) {
                                   if (error.code == ErrorCode::corrupt && damaged) return damaged(error);
                                   mailbox->post(StoreFailed{error});
                               }},
        collections);
    return {};
}

Indexer::~Indexer() {
    if (traffic_->keeper) traffic_->keeper->stop();
    if (config_.tools.follower) {
        config_.tools.follower->on_progress({});
        config_.tools.follower->expect_more(false);
    }
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
    const auto pages = pages_of(reader, wanted);
    std::map<std::string, Result<Means>> means;
    for (store::ChangeLease& change : changes) {
        auto work = std::make_unique<PageInWork>();
        work->change = std::move(change);
        const std::string& collection = work->change.collection;
        const auto page = work->change.content ? pages.find(*work->change.content) : pages.end();
        if (page != pages.end() && !page->second) {
            work->error = page->second.error();
        } else if (page != pages.end()) {
            if (!means.contains(collection)) means.emplace(collection, means_of(collection, reader));
            const Result<Means>& known = means.at(collection);
            if (known) {
                prepare_page(*work, *page->second, *known, terms);
            } else {
                wait_for_embedder(*work, index_error(known.error()));
            }
        } else if (work->change.content) {
            // It was replaced meanwhile: the change that did it comes next, and this one is dropped.
            work->error = Error{ErrorCode::unavailable, "its words are being replaced"};
        }
        forward(std::move(work));
    }
}

// What waits for the index to be made anew costs nothing.
Error Indexer::index_error(const Error& error) const {
    if (error.code != ErrorCode::corrupt || !config_.tools.damaged) return error;
    config_.tools.damaged(error);
    return {ErrorCode::interrupted, error.message};
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
    work.page = work::prepare_page(page, work.change.version, limits_for(means.embedder));
    work.timings.chunk = since(started);
    const auto counting = Clock::now();
    count_terms(work.page, terms);
    work.timings.words = since(counting);
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
    if (traffic_->keeper && !work->error) traffic_->keeper->written(work->change.collection);
    if (work->error || !work->embedder.service) {
        writer_->add(std::move(work));
    } else {
        embedding_->add(std::move(work));
    }
}

bool Indexer::is_idle() const {
    // In this order: what has ended was marked before.
    {
        std::lock_guard lock(traffic_->mutex);
        if (traffic_->changes > 0) return false;
    }
    return !traffic_->keeper || traffic_->keeper->is_settled();
}

void Indexer::expect_more(bool more) {
    {
        std::lock_guard lock(traffic_->mutex);
        if (traffic_->more_is_expected == more) return;
        traffic_->more_is_expected = more;
    }
    if (config_.tools.follower) config_.tools.follower->expect_more(more);
    if (traffic_->keeper) traffic_->keeper->look_again();
}

void Indexer::changes_ended(Traffic& traffic, const IndexWriter::Ended& ended,
                            const std::function<void(std::string)>& log) {
    std::string line;
    {
        std::lock_guard lock(traffic.mutex);
        traffic.changes -= ended.changes;
        traffic.untold.indexed += ended.indexed;
        traffic.untold.chunks += ended.chunks;
        // While there is more to do, a line a second is enough.
        const bool is_time =
            traffic.changes == 0 || Clock::now() - traffic.told_at >= std::chrono::seconds(1);
        if (is_time && traffic.untold.indexed > 0) {
            line = fmt::format("embedded pages={} chunks={}", traffic.untold.indexed, traffic.untold.chunks);
            traffic.untold = {};
            traffic.told_at = Clock::now();
        }
        traffic.changed.notify_all();
    }
    if (log && !line.empty()) log(std::move(line));
    if (traffic.keeper) traffic.keeper->look_again();
}

}  // namespace quarry::work
