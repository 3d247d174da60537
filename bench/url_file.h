// The URLs that a measurement visits: a file with one on each line.
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "url/url.h"

namespace quarry::bench {

// Lines that are no URL are left out.
inline std::vector<url::Url> read_urls(const char* path) {
    std::vector<url::Url> urls;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
        if (auto url = url::Url::parse(line)) urls.push_back(*std::move(url));
    return urls;
}

}  // namespace quarry::bench
