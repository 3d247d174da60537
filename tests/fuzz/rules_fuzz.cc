// Rules, a line feed and a page: rules that were read can be written and read again, and any page may meet
// them.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "extract/structured/rules.h"
#include "html/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quarry;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = std::min(input.find('\n'), input.size());
    const auto rules = structured::Rules::parse(input.substr(0, end));
    if (!rules) return 0;
    const boost::json::object written = rules->to_json();
    const auto again = structured::Rules::read(boost::json::value(written));
    if (!again || again->to_json() != written) std::abort();
    const html::Tree tree = html::parse(std::string(input.substr(end)));
    (void)rules->apply(tree, nullptr);
    return 0;
}
