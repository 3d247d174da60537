#include "schema/schema.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "schema/evaluation.h"
#include "schema/index.h"

namespace quarry::schema {

namespace json = boost::json;

std::string sentence_of(std::span<const Problem> problems) {
    constexpr std::size_t told = 5;
    std::string sentence;
    for (const Problem& problem : problems.first(std::min(told, problems.size())))
        sentence += fmt::format("{}{} {}", sentence.empty() ? "" : "; ",
                                problem.where.empty() ? "the value" : problem.where, problem.message);
    if (problems.size() > told) sentence += fmt::format("; and {} more", problems.size() - told);
    return sentence;
}

Schema::Schema(std::unique_ptr<Index> index) : index_(std::move(index)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::parse(const json::value& document, std::span<const json::value> others) {
    return Schema(TRY(Index::build(document, others)));
}

Result<Schema> Schema::parse_text(std::string_view text) {
    json::parse_options options;
    options.max_depth = 2 * SchemaLimits::nesting;
    json::error_code error;
    const json::value document = json::parse(text, error, {}, options);
    if (error) return fail(ErrorCode::invalid_argument, "the schema is not JSON: " + error.message());
    return parse(document);
}

Result<std::vector<Problem>> Schema::check(const json::value& value) const {
    return Evaluation(*index_).run(value);
}

const json::value& Schema::document() const {
    return index_->document();
}

const json::value& Schema::behind(const json::value& subschema) const {
    const json::value* found = &subschema;
    // References may go in circles.
    for (int step = 0; step < SchemaLimits::nesting; ++step) {
        const Target* target = index_->reference(*found);
        if (target == nullptr || target->schema == nullptr) break;
        found = target->schema;
    }
    return *found;
}

}  // namespace quarry::schema
