// A page that may be anything: what is read of it is bounded, and is JSON.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <boost/json.hpp>

#include "extract/structured/page_data.h"
#include "html/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quarry;
    const html::Tree tree = html::parse(std::string(reinterpret_cast<const char*>(data), size));
    const structured::PageData found = structured::read_page_data(tree, "https://a.example/b/c");
    if (found.items.size() > 5 * structured::PageDataLimits::items) std::abort();
    for (const structured::Item& item : found.items)
        if (item.fields.empty()) std::abort();
    boost::json::parse_options options;
    options.max_depth = 64;
    const std::string text = boost::json::serialize(found.to_json());
    if (boost::json::serialize(boost::json::parse(text, {}, options)) != text) std::abort();
    return 0;
}
