// What of a collection is in memory. A CollectionView is what a search looks at for every chunk: some 60
// bytes a chunk, most of them sign bits. A ViewLock lets many searches look and one writer change it for a
// moment. Beside the view the writer keeps its spaces and the slots it may give out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/part.h"
#include "index/embedded/postings.h"
#include "index/embedded/signs.h"
#include "index/embedded/vectors.h"
#include "index/index.h"

namespace quarry::index {

// What of a collection is in memory: whatever a search looks at for every chunk. Some 60 bytes a chunk, most
// of them sign bits.

// A page's place in memory. Used again once the page is gone.
using PageNumber = std::uint32_t;
inline constexpr PageNumber no_page = UINT32_MAX;

// What filters ask of a page, and what a hit is named by.
struct PageEntry {
    PageId page{};
    std::int64_t first_chunk = 0;
    Timestamp fetched_at{};
    std::uint32_t host = 0, language = 0;  // numbers of Names
    std::string path{};
};

// Texts that many pages share, kept once.
class Names {
public:
    std::uint32_t number_of(std::string_view name);  // made if it is new
    const std::vector<std::string>& all() const { return names_; }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

class PageTable {
public:
    PageNumber put(PageEntry entry);  // in place of the page's former entry, if it has one
    void remove(PageId page);
    const PageEntry& at(PageNumber number) const { return entries_[number]; }
    // Numbers of pages that have gone are among these.
    std::size_t size() const { return entries_.size(); }
    std::size_t pages() const { return numbers_.size(); }

    Names hosts, languages;

private:
    std::vector<PageEntry> entries_;
    std::vector<PageNumber> free_;
    std::unordered_map<std::int64_t, PageNumber> numbers_;
};

// What is known of each slot.
class SlotTable {
public:
    struct Entry {
        PageNumber page = no_page;  // no_page: dead
        std::uint32_t index = 0;    // which chunk of the page
    };

    void put(Slot slot, Entry entry, std::uint32_t length);
    void remove(Slot slot);
    // There are postings of slots below this, even if nothing is live there.
    void grow(std::size_t size);
    bool is_live(Slot slot) const { return slot < entries_.size() && entries_[slot].page != no_page; }
    const Entry& at(Slot slot) const { return entries_[slot]; }
    std::uint16_t length(Slot slot) const { return lengths_[slot]; }

    std::size_t size() const { return entries_.size(); }  // one more than the largest slot ever used
    std::int64_t live() const { return live_; }
    double average_length() const { return live_ > 0 ? static_cast<double>(total_length_) / live_ : 1; }
    Bits live_bits() const;

private:
    std::vector<Entry> entries_;
    std::vector<std::uint16_t> lengths_;  // those beyond 65,535 words count as that
    std::int64_t live_ = 0, total_length_ = 0;
};

struct Segment {
    std::int64_t id = 0;
    std::int64_t chunks = 0;
};

// Where postings are: a slot is in one of these at most. Replaced as a whole, so that a search can tell
// whether it has read all of it.
struct Sources {
    std::vector<Segment> segments{};
    std::vector<std::shared_ptr<const Part>> parts{};  // not yet in a segment

    std::int64_t chunks_in_parts() const;
};

struct CollectionView {
    std::int64_t id = 0;
    std::string name{};
    EmbedderFacts embedder{};
    std::int64_t space = 0;   // whose vectors answer; 0: none
    bool is_builtin = false;  // that space
    PageTable pages{};
    SlotTable slots{};
    std::shared_ptr<const Sources> sources = std::make_shared<Sources>();
    Signs signs{};
};

// Lets many searches look at what is in memory, and one writer change it for a moment. A writer that waits
// goes before searches that come after it: otherwise a busy searcher would keep it out for ever.

class ViewLock {
public:
    std::shared_lock<std::shared_mutex> to_look() {
        std::lock_guard turn(turn_);
        return std::shared_lock(view_);
    }
    std::unique_lock<std::shared_mutex> to_change() {
        std::lock_guard turn(turn_);
        return std::unique_lock(view_);
    }

private:
    std::mutex turn_;
    std::shared_mutex view_;
};

// Gives out slots: those that nothing speaks of any more first, then new ones.

class SlotSupply {
public:
    SlotSupply() = default;
    // `free` ascends, all of it below `next`.
    SlotSupply(std::vector<Slot> free, Slot next)
        : free_(std::move(free)), next_(next), settled_next_(next) {}

    Slot take() { return taken_ < free_.size() ? free_[taken_++] : next_++; }

    // What was taken since the last settle() is free again, or is not.
    void take_back() {
        taken_ = 0;
        next_ = settled_next_;
    }
    void settle() {
        free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(taken_));
        taken_ = 0;
        settled_next_ = next_;
    }

    void give_back(const std::vector<Slot>& slots) {
        free_.insert(free_.end(), slots.begin(), slots.end());
        std::ranges::sort(free_);
    }

private:
    std::vector<Slot> free_;
    std::size_t taken_ = 0;
    Slot next_ = 0, settled_next_ = 0;
};

// A collection as the writer knows it: what searches look at, and what only writing needs.

struct CollectionState {
    CollectionView view{};
    SlotSupply supply{};
    std::vector<SpaceRow> spaces{};  // the one in use, and those being filled

    SpaceRow* space(std::int64_t id);
};

using Collections = std::map<std::string, std::unique_ptr<CollectionState>, std::less<>>;

// All collections as the file has them. In one snapshot of the connection.
Result<Collections> load_collections(db::Connection& connection);
Result<Signs> load_signs(db::Connection& connection, const SpaceRow& space, const SlotTable& slots);

}  // namespace quarry::index
