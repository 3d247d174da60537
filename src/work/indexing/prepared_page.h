// A changed page on its way into the index: cut into chunks with their terms and labels, and later with
// their vectors.
// Here is also what becomes of its change when it meets an error: a page waits for an embedding service
// that is away, and waiting costs no attempt.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "index/index.h"
#include "model/metrics.h"
#include "model/stored_page.h"
#include "store/store.h"
#include "text/chunks/chunk_markdown.h"
#include "text/terms/terms.h"
#include "work/indexing/collection_embedders.h"
#include "work/retry.h"

namespace quarry::work {

// From a stored page to what an index takes, short of its vectors.

index::PageLabel label_of(const StoredPage& page);

// Cuts the page's words, as far as it has some. count_terms() comes next.
index::IndexedPage prepare_page(const StoredPage& page, std::int64_t version,
                                const text::ChunkLimits& limits);

// What finding by words needs of the page's chunks.
void count_terms(index::IndexedPage& page, text::TermReader& terms);

// The terms a chunk is found by: those of its headings count like those of its words.
text::TermBag terms_of(const Chunk& chunk, text::TermReader& reader);

// What an embedding service is given of a chunk: where it stands in its page, then its words.
std::string embedding_text(const Chunk& chunk);

// A change of the outbox on its way into the index.

struct PageInWork {
    store::ChangeLease change{};
    index::IndexedPage page{};  // of a page that was removed: nothing
    CollectionEmbedders::Choice embedder{};
    int space = 0;  // the version its chunks were folded into
    Timings timings{};
    std::optional<Error> error{};  // why it waits or fails
    bool waits_for_embedder = false;
};

using PageInWorkPtr = std::unique_ptr<PageInWork>;

// Whether a page that met this error waits: for a service that is not there, or is not what it was.
bool waits(ErrorCode code);

// What becomes of a change that met this error. Waiting costs no attempt. Everything else may fail for good,
// and can be seen and retried.
store::Outcome outcome_of(const Error& error, const store::ChangeLease& change, const Backoff& backoff,
                          Timestamp now);

}  // namespace quarry::work
