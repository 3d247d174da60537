// A bound on the memory that expat may use. Expat keeps every name it meets, and a document can consist of
// millions of different ones.
#pragma once

#include <cstddef>

namespace quarry::text {

// While it lives, what this thread allocates through the functions below counts against `bytes`, and fails
// beyond it. Expat passes its allocator no context, hence the thread. One at a time per thread; it outlives
// its blocks.
class XmlMemoryBudget {
public:
    explicit XmlMemoryBudget(std::size_t bytes);
    ~XmlMemoryBudget();
    XmlMemoryBudget(const XmlMemoryBudget&) = delete;
    XmlMemoryBudget& operator=(const XmlMemoryBudget&) = delete;
};

void* budgeted_malloc(std::size_t size);
void* budgeted_realloc(void* block, std::size_t size);
void budgeted_free(void* block);

}  // namespace quarry::text
