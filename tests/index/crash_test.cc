// Programs that are killed at any moment: while pages are replaced, segments written and merged, spaces
// filled. What was acknowledged is there, whole and once.
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "effort.h"
#include "index/consistency.h"
#include "index/crash_pages.h"
#include "index/embedded/embedded_index.h"
#include "servers/temporary_folder.h"

namespace quarry::test {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Told {
    std::int64_t page = 0, version = 0;
};

class Child {
public:
    Child(const std::string& index, int seed, std::int64_t version) {
        std::array<int, 2> ends;
        REQUIRE(pipe(ends.data()) == 0);
        const std::string seed_text = std::to_string(seed), version_text = std::to_string(version);
        process_ = fork();
        if (process_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            execl(QUARRY_INDEX_CRASH_CHILD, "index_crash_child", index.c_str(), seed_text.c_str(),
                  version_text.c_str(), nullptr);
            _exit(9);
        }
        close(ends[1]);
        output_ = ends[0];
    }

    // Lets it live until it has told so much, or for so long, then kills it. False if it ended by itself.
    bool live_and_die(std::size_t enough, milliseconds life, std::vector<Told>& told) {
        const auto end = steady_clock::now() + life;
        while (steady_clock::now() < end && told.size() < enough) {
            const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
            pollfd waiting{.fd = output_, .events = POLLIN, .revents = 0};
            if (poll(&waiting, 1, static_cast<int>(left.count()) + 1) > 0 && !read_some(told)) break;
        }
        kill(process_, SIGKILL);
        while (read_some(told)) {
        }
        close(output_);
        int status = 0;
        waitpid(process_, &status, 0);
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }

private:
    bool read_some(std::vector<Told>& told) {
        std::array<char, 4'096> buffer;
        const ssize_t got = read(output_, buffer.data(), buffer.size());
        if (got <= 0) return false;
        bytes_.append(buffer.data(), static_cast<std::size_t>(got));
        std::size_t at = 0;
        for (; at + sizeof(Told) <= bytes_.size(); at += sizeof(Told)) {
            std::memcpy(&told.emplace_back(), bytes_.data() + at, sizeof(Told));
        }
        bytes_.erase(0, at);
        return true;
    }

    pid_t process_ = -1;
    int output_ = -1;
    std::string bytes_;
};

// The version of the page that its chunks are of; 0 if it has none. All of them must be there, once.
std::int64_t whole_version(index::Index& index, std::int64_t page) {
    index::KeywordQuery query;
    query.words = {{fmt::format("p{}", page), 1}};
    const auto hits = index.match("c", query, {}, 1'000).value();
    if (hits.empty()) return 0;
    std::vector<ChunkRef> refs;
    for (const index::Scored& hit : hits) refs.push_back(hit.chunk);
    std::ranges::sort(refs);
    const auto chunks = index.read("c", refs).value();
    REQUIRE(chunks.size() == refs.size());
    const std::int64_t version = std::stoll(chunks[0].chunk.text.substr(chunks[0].chunk.text.find('v') + 1));
    CHECK(static_cast<int>(chunks.size()) == crash_chunks(page, version));
    for (std::size_t at = 0; at < chunks.size(); ++at) {
        CHECK(chunks[at].chunk.text == crash_text(page, version));
        CHECK(chunks[at].ref.page == PageId{page});
        CHECK(chunks[at].ref.index == static_cast<int>(at));
    }
    return version;
}

// What was told last of a page, or something newer that was not told any more.
void check_page(index::Index& index, std::int64_t page, std::int64_t told) {
    const std::int64_t version = whole_version(index, page);
    CAPTURE(page);
    CAPTURE(told);
    CAPTURE(version);
    if (version != 0) {
        CHECK(version >= std::abs(told));
    } else if (told > 0 && crash_chunks(page, told) > 0) {
        // Removed, or replaced by nothing, in the moment before the end.
        index::IndexedPage older = crash_page(page, told, {});
        std::vector<index::IndexedPage> pages;
        pages.push_back(std::move(older));
        REQUIRE(index.replace("c", std::move(pages)));
        CHECK(whole_version(index, page) == 0);
    }
}

}  // namespace

TEST_CASE("what was acknowledged survives the death of the program, whole and once") {
    const TemporaryFolder folder;
    const std::string path = folder.file("index.db");
    std::mt19937 random(11);
    std::map<std::int64_t, std::int64_t> last;
    std::int64_t version = 1;
    for (std::uint64_t life = 0; life < rounds(25); ++life) {
        CAPTURE(life);
        std::vector<Told> told;
        Child child(path, life, version);
        REQUIRE(child.live_and_die(1 + random() % 150, milliseconds(3'000), told));
        for (const Told& change : told) {
            last[change.page] = change.version;
            version = std::max(version, std::abs(change.version));
        }
        // The child may have been at work on one more than it told.
        version += 2;

        const auto wrong = index_inconsistencies(path, Tidiness::any);
        for (const std::string& sentence : wrong) FAIL_CHECK(sentence);
        const auto index = index::open_embedded_index({.path = path, .tail_chunks = 40}).value();
        for (const auto& [page, change] : last) check_page(*index, page, change);
        if (life % 5 == 4) {
            REQUIRE(index->settle());
            const auto left = index_inconsistencies(path, Tidiness::settled);
            for (const std::string& sentence : left) FAIL_CHECK(sentence);
        }
    }
    CHECK(last.size() > 40);
}

}  // namespace quarry::test
