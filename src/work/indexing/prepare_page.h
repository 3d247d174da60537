// From a stored page to what an index takes, short of its vectors.
#pragma once

#include <string>

#include "index/index.h"
#include "model/stored_page.h"
#include "text/chunks/chunk_markdown.h"
#include "text/terms/terms.h"

namespace quarry::work {

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

}  // namespace quarry::work
