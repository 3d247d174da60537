// Answers of a text-embeddings-inference server that may be anything: none may crash, and what is taken is
// finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "embed/answers.h"
#include "embed/tei.h"

using namespace quarry::embed;

namespace {

void require(bool is_good) {
    if (!is_good) std::abort();
}

void read_vectors(std::string_view body) {
    const auto vectors = parse_tei_vectors(body);
    if (!vectors) return;
    for (const Vector& vector : *vectors)
        for (const float component : vector) require(std::isfinite(component));
}

void read_scores(std::string_view body, std::size_t texts) {
    const auto scores = parse_tei_scores(body, texts);
    if (!scores) return;
    require(scores->size() == texts);
    for (const float score : *scores) require(std::isfinite(score));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view body(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0] % 4) {
        case 0: read_vectors(body); break;
        case 1: read_scores(body, 1 + data[0] / 64); break;
        case 2:
            if (const auto info = parse_tei_info(body)) require(info->max_client_batch_size > 0);
            break;
        default:
            require(quoted_words(words_of_error(body), "key").size() <= 300);
            (void)tei_refusal(422, body);
    }
    return 0;
}
