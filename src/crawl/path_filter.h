// The include and exclude expressions of a crawl. RE2 takes time linear in what it looks at, whatever the
// expression; several are joined into one, so that a URL is looked at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace quarry::crawl {

class PathFilter {
public:
    // Fails with `invalid_argument` and a sentence on an expression that does not parse (RE2 has no
    // look-ahead and no back references), is longer than 4 KB, or would need more than a megabyte.
    static Result<PathFilter> create(std::span<const std::string> expressions);

    PathFilter(PathFilter&&) noexcept;
    PathFilter& operator=(PathFilter&&) noexcept;
    ~PathFilter();

    bool is_empty() const { return joined_ == nullptr; }  // no expressions: nothing matches

    // Whether any expression matches somewhere in the text. Safe from many threads.
    bool matches(std::string_view text) const;

private:
    PathFilter();

    std::unique_ptr<re2::RE2> joined_;
};

}  // namespace quarry::crawl
