// Which pages a filter lets through: decided once per search, looked up once per chunk.
#pragma once

#include <optional>

#include "index/embedded/bits.h"
#include "index/embedded/collection.h"
#include "index/index.h"

namespace quarry::index {

class PageFilter {
public:
    PageFilter(const Filter& filter, const PageTable& pages);

    bool admits(PageNumber page) const { return !pages_ || pages_->has(page); }
    bool admits_all() const { return !pages_; }

private:
    std::optional<Bits> pages_;
};

// "docs.example.com" is of the site "example.com", and so is "example.com" itself.
bool is_of_host(std::string_view host, std::string_view wanted);

}  // namespace quarry::index
