// The next URLs of one host in one crawl, in the order in which they are fetched. Memory holds a window; the
// table has the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace quarry::store {

// Where a URL stands in line: the smaller priority first, then the one discovered earlier.
struct UrlPlace {
    int priority = 0;
    std::int64_t id = 0;
    friend auto operator<=>(const UrlPlace&, const UrlPlace&) = default;
};

// The invariant: every ready URL up to `end()` is here or leased. What lies beyond is only in the table.
class UrlWindow {
public:
    static constexpr std::size_t wanted = 256;

    // A window that has seen nothing of the table yet.
    static UrlWindow unread() {
        UrlWindow window;
        window.end_ = {std::numeric_limits<int>::min(), 0};
        return window;
    }

    bool empty() const { return head_ == places_.size(); }
    bool is_complete() const { return end_ == everything; }
    const UrlPlace& end() const { return end_; }

    // A URL that has become ready, and has a row that says so.
    void add(const UrlPlace& place);
    const UrlPlace& front() const { return places_[head_]; }  // not when empty
    std::optional<UrlPlace> pop();
    // What the table has after end() and up to `new_end`, without what is leased; no `new_end` if that was
    // all.
    void refill(std::span<const UrlPlace> next, std::optional<UrlPlace> new_end);

private:
    static constexpr UrlPlace everything{std::numeric_limits<int>::max(),
                                         std::numeric_limits<std::int64_t>::max()};

    std::vector<UrlPlace> places_;
    std::size_t head_ = 0;
    UrlPlace end_ = everything;
};

}  // namespace quarry::store
