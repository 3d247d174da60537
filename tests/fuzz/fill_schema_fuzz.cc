// A schema, a line feed and a page: whatever they are, what is filled in says where it came from.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "extract/structured/fill_schema.h"
#include "html/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quarry;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = std::min(input.find('\n'), input.size());
    const auto schema = schema::Schema::parse_text(input.substr(0, end));
    if (!schema) return 0;
    const html::Tree tree = html::parse(std::string(input.substr(end)));
    const structured::PageData page = structured::read_page_data(tree, "https://a.example/");
    const auto filled = structured::fill_schema(*schema, {.page = &page});
    if (!filled || !filled->data.is_object()) return 0;
    for (const structured::FieldSource& source : filled->sources)
        if (!source.field.starts_with('/')) std::abort();
    return 0;
}
