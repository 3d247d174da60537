// JSON Schema, draft 2020-12: says whether a value has the shape that somebody asked for, and if not, where
// and why. Nothing is fetched: a $ref reaches what is in the document, or in documents that were handed over.
//
// `format` and `content*` are annotations and refuse nothing, as the draft has it by default. Patterns are
// matched by RE2 in linear time: look-around and back-references are errors when the schema is read.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace quarry::schema {

class Index;

struct Problem {
    std::string where{};    // a JSON Pointer into the value; "" is all of it
    std::string message{};  // "is not a number"
};

// "/price is not a number; /name is missing", shortened after a few.
std::string sentence_of(std::span<const Problem> problems);

struct SchemaLimits {
    static constexpr std::size_t subschemas = 20'000;
    static constexpr int nesting = 64;              // of schemas in schemas
    static constexpr int depth = 128;               // of checks in checks, so of recursion through $ref
    static constexpr std::size_t work = 4'000'000;  // checks, members and items looked at in one call
    static constexpr std::size_t problems = 50;     // told in one call
};

// Immutable once read: many threads may check with one.
class Schema {
public:
    // Reads a schema, and copies what it needs. `others` are documents that a $ref may name by their $id.
    // Fails with `invalid_argument` and a sentence that says where, on a keyword with a value it cannot have,
    // a $ref that leads nowhere and a pattern that RE2 does not know; with `too_large` beyond the limits.
    static Result<Schema> parse(const boost::json::value& document,
                                std::span<const boost::json::value> others = {});
    // The same from text.
    static Result<Schema> parse_text(std::string_view text);

    Schema(Schema&&) noexcept;
    Schema& operator=(Schema&&) noexcept;
    ~Schema();

    // What is wrong with the value: nothing if it is valid. `too_large` if the answer takes more than the
    // limits allow.
    Result<std::vector<Problem>> check(const boost::json::value& value) const;

    const boost::json::value& document() const;
    // The schema that this one, a part of document(), stands for: behind its $ref and those that follow.
    const boost::json::value& behind(const boost::json::value& subschema) const;

private:
    explicit Schema(std::unique_ptr<Index> index);
    std::unique_ptr<Index> index_;
};

}  // namespace quarry::schema
