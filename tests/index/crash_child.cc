// A program that works on an index until it is killed, for crash_test.cc.
// Usage: crash_child INDEX SEED FIRST_VERSION. Every page whose change is durable goes to standard output at
// once, as sixteen bytes: the page, and its version, negative if it was removed.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include <unistd.h>

#include "index/crash_pages.h"
#include "index/embedded/embedded_index.h"

namespace {

using namespace quarry;
using index::EmbeddedIndex;

void must(const Result<void>& done) {
    if (done) return;
    std::fprintf(stderr, "index_crash_child: %s\n", done.error().message.c_str());
    _exit(2);
}

void tell(std::int64_t page, std::int64_t version) {
    const std::array<std::int64_t, 2> record{page, version};
    if (write(STDOUT_FILENO, record.data(), sizeof record) != sizeof record) _exit(3);
}

class Work {
public:
    Work(EmbeddedIndex& index, unsigned seed, std::int64_t version)
        : index_(index), random_(seed), version_(version) {}

    void step() {
        switch (random_() % 12) {
            case 0: return remove();
            case 1: return must(index_.settle());
            case 2: return renew_space();
            default: return replace();
        }
    }

private:
    void replace() {
        ++version_;
        std::vector<index::IndexedPage> pages;
        std::vector<std::int64_t> ids;
        for (unsigned count = 1 + random_() % 4; count > 0; --count) {
            ids.push_back(static_cast<std::int64_t>(random_() % test::crash_pages));
            pages.push_back(test::crash_page(ids.back(), version_, vector_));
        }
        must(index_.replace("c", std::move(pages)));
        for (const std::int64_t page : ids) tell(page, version_);
    }
    void remove() {
        ++version_;
        const index::RemovedPage page{
            .page = PageId{static_cast<std::int64_t>(random_() % test::crash_pages)}, .version = version_};
        must(index_.remove("c", {&page, 1}));
        tell(number(page.page), -version_);
    }
    void renew_space() {
        const auto space = index_.begin_space("c", 1, "space");
        if (!space) return must(std::unexpected(space.error()));
        while (true) {
            const auto chunks = index_.chunks_without("c", *space, 0, 20);
            if (!chunks) return must(std::unexpected(chunks.error()));
            if (chunks->empty()) break;
            std::vector<EmbeddedIndex::ChunkVector> vectors;
            for (const auto& chunk : *chunks) vectors.push_back({.id = chunk.id, .vector = {1, 1}});
            must(index_.add_vectors("c", *space, vectors));
        }
        must(index_.use_space("c", *space));
        vector_ = {1, 1};
    }

    EmbeddedIndex& index_;
    std::mt19937 random_;
    std::int64_t version_;
    std::vector<float> vector_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    auto index = index::open_embedded_index({.path = arguments[1], .tail_chunks = 40});
    if (!index) {
        std::fprintf(stderr, "index_crash_child: %s\n", index.error().message.c_str());
        return 2;
    }
    must((*index)->set_embedder("c", {.provider = "builtin"}));
    Work work(**index, static_cast<unsigned>(std::atoi(arguments[2])), std::atoll(arguments[3]));
    while (true) work.step();
}
