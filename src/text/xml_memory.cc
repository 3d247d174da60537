#include "text/xml_memory.h"

#include <cassert>
#include <cstdlib>

namespace quarry::text {

namespace {

// Before each block stands its size, in a space that keeps the block aligned for anything.
constexpr std::size_t header_bytes = alignof(std::max_align_t);
static_assert(sizeof(std::size_t) <= header_bytes);

thread_local std::size_t bytes_left = 0;

void* with_header(void* start, std::size_t size) {
    if (start == nullptr) return nullptr;
    *static_cast<std::size_t*>(start) = size;
    bytes_left -= size;
    return static_cast<char*>(start) + header_bytes;
}

void* start_of(void* block) {
    return static_cast<char*>(block) - header_bytes;
}

std::size_t size_of(void* block) {
    return *static_cast<std::size_t*>(start_of(block));
}

}  // namespace

XmlMemoryBudget::XmlMemoryBudget(std::size_t bytes) {
    assert(bytes_left == 0);  // else a handler reads another document from inside this one
    bytes_left = bytes;
}

XmlMemoryBudget::~XmlMemoryBudget() {
    bytes_left = 0;
}

void* budgeted_malloc(std::size_t size) {
    if (size > bytes_left) return nullptr;
    return with_header(std::malloc(size + header_bytes), size);
}

void* budgeted_realloc(void* block, std::size_t size) {
    if (block == nullptr) return budgeted_malloc(size);
    const std::size_t old_size = size_of(block);
    if (size > old_size && size - old_size > bytes_left) return nullptr;
    void* start = std::realloc(start_of(block), size + header_bytes);
    if (start == nullptr) return nullptr;
    bytes_left += old_size;
    return with_header(start, size);
}

void budgeted_free(void* block) {
    if (block == nullptr) return;
    bytes_left += size_of(block);
    std::free(start_of(block));
}

}  // namespace quarry::text
