// What a server answers to a scrape, as any JSON: it becomes the record of a page or a failure with a
// sentence.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "app/remote/pages.h"

using namespace quarry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    boost::system::error_code error;
    const boost::json::value value =
        boost::json::parse(std::string_view(reinterpret_cast<const char*>(data), size), error);
    if (error) return 0;
    const work::ScrapeRecord record = app::read_scrape_answer("https://a.example/", value);
    if (record.success() == record.error.has_value()) std::abort();
    if (record.error && record.error->message.empty()) std::abort();
    to_json(record, Formats{.html = true, .raw_html = true, .links = true, .images = true});
    return 0;
}
