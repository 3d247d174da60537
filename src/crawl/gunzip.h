// Unpacks .xml.gz files: what a server sends as a file is not unpacked by the HTTP client.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::crawl {

struct Unpacked {
    std::string bytes{};
    std::string warning{};  // a sentence if this is not all there was to come; else ""
};

bool is_gzip(std::string_view bytes);

// Unpacks at most `limit` bytes. A file that is cut off, damaged later on or larger than the limit gives what
// came before, with a warning; one that is no gzip at all fails with `corrupt`.
Result<Unpacked> gunzip_bounded(std::string_view bytes, std::size_t limit);

}  // namespace quarry::crawl
