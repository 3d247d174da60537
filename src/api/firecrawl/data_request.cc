#include "api/firecrawl/data_request.h"

#include <boost/json.hpp>

#include "schema/schema.h"

namespace quarry::api {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_prompt = 10'000;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// A text that a format cannot be without.
void read_text(Fields& fields, const json::object& format, std::string_view key, std::string& into) {
    into = text_at(format, key);
    if (into.empty() || into.size() > longest_prompt)
        fields.reject("formats",
                      "has a format without its \"" + std::string(key) + "\" of up to 10,000 characters");
}

}  // namespace

void read_schema_and_prompt(Fields& fields, const json::object& object, DataWish& wish,
                            std::string_view format_field) {
    const auto reject = [&](std::string_view name, const std::string& sentence) {
        if (format_field.empty())
            fields.reject(name, sentence);
        else
            fields.reject(format_field, "has a " + std::string(name) + " that " + sentence);
    };
    wish.wants_json = true;
    const json::value* prompt = object.if_contains("prompt");
    const bool has_prompt = prompt != nullptr && !prompt->is_null();
    wish.prompt = text_at(object, "prompt");
    if ((has_prompt && !prompt->is_string()) || wish.prompt.size() > longest_prompt)
        return reject("prompt", "has to be a text of up to 10,000 characters");
    const json::value* schema = object.if_contains("schema");
    if (schema != nullptr && !schema->is_null()) {
        if (const auto parsed = schema::Schema::parse(*schema); !parsed)
            return reject("schema", "cannot work: " + parsed.error().message);
        wish.schema = json::serialize(*schema);
    }
    if (wish.schema.empty() && wish.prompt.empty())
        fields.reject(format_field.empty() ? "schema" : format_field,
                      "has to say what is wanted, if no prompt does: a JSON Schema");
}

bool read_data_format(Fields& fields, std::string_view name, const json::object& format, DataWish& wish) {
    if (name == "json" || name == "extract" || name == "deterministicJson") {
        read_schema_and_prompt(fields, format, wish, "formats");
    } else if (name == "summary") {
        wish.wants_summary = true;
    } else if (name == "question") {
        read_text(fields, format, "question", wish.question);
    } else if (name == "highlights") {
        read_text(fields, format, "query", wish.highlights);
    } else if (name == "query") {
        const bool wants_quotes = text_at(format, "mode") == "directQuote";
        read_text(fields, format, "prompt", wants_quotes ? wish.highlights : wish.question);
    } else {
        return false;
    }
    return true;
}

}  // namespace quarry::api
