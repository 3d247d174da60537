// Answers of a Qdrant that may be anything: none may crash, and scores that are taken are finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "index/qdrant/points.h"
#include "index/qdrant/service.h"

using namespace quarry::index;

namespace {

void read_payloads(const std::vector<QdrantPoint>& points) {
    for (const QdrantPoint& point : points) {
        if (!std::isfinite(point.score)) std::abort();
        for (const float value : point.dense)
            if (!std::isfinite(value)) std::abort();
        (void)read_chunk(point.payload);
        (void)read_page(point.payload);
        (void)read_collection(point.payload);
        if (const auto place = read_chunk_place(point.payload); place && place->index < 0) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    (void)qdrant_error(body);
    const auto result = qdrant_result(body);
    if (!result) return 0;
    if (const auto found = read_found(*result)) read_payloads(*found);
    if (const auto records = read_records(*result)) read_payloads(*records);
    if (const auto count = read_count(*result); count && *count < 0) std::abort();
    (void)read_collection_names(*result);
    (void)read_completed(*result);
    return 0;
}
