// A schema and a value, one after the other as an array of two: neither may crash or hang the check, and a
// value is what its own constant says.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "schema/schema.h"

namespace json = boost::json;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    json::error_code error;
    const json::value input = json::parse({reinterpret_cast<const char*>(data), size}, error);
    const json::array* pair = error ? nullptr : input.if_array();
    if (pair == nullptr || pair->size() != 2) return 0;
    const auto schema = quarry::schema::Schema::parse((*pair)[0]);
    if (schema) (void)schema->check((*pair)[1]);
    const auto constant = quarry::schema::Schema::parse(json::object{{"const", (*pair)[1]}});
    if (!constant || !constant->check((*pair)[1]).value().empty()) std::abort();
    return 0;
}
