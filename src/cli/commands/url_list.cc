#include "cli/commands/url_list.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "base/ascii.h"
#include "cli/output/files.h"
#include "url/page_address.h"

namespace quarry::cli {
Result<std::vector<std::string>> gather_urls(const std::vector<std::string>& arguments,
                                             const std::string& file) {
    std::vector<std::string> urls = arguments;
    if (!file.empty()) {
        constexpr std::uint64_t longest_list = 1ULL << 28;
        std::istringstream lines(TRY(read_input(file, longest_list)));
        for (std::string line; std::getline(lines, line);) {
            const std::string_view url = trimmed(line);
            if (!url.empty() && !url.starts_with('#')) urls.emplace_back(url);
        }
    }
    if (urls.empty())
        return fail(ErrorCode::invalid_argument, "No URLs provided. Name one, or a file with -f FILE");
    const auto is_url = [](const std::string& text) { return url::parse_page_address(text).has_value(); };
    if (std::ranges::none_of(urls, is_url)) TRY(url::parse_page_address(urls.front()));
    return urls;
}

}  // namespace quarry::cli
