// From what is known of a page to the JSON that a schema asks for, each field with where it came from, and
// with what is wrong with the whole.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "extract/structured/page_data.h"
#include "schema/schema.h"
#include "url/url.h"

namespace quarry::structured {

struct FieldSource {
    std::string field{};  // a JSON Pointer: "/price"; "" is all of it
    Source source = Source::rule;
    std::string where{};
};

struct Filled {
    boost::json::value data{};
    std::vector<FieldSource> sources{};       // empty: nothing of what was asked for was found
    std::vector<schema::Problem> problems{};  // empty: the data keeps the schema

    boost::json::array sources_json() const;   // [{"field", "source", "where"}]
    boost::json::array problems_json() const;  // [{"where", "message"}]
};

struct Material {
    const PageData* page = nullptr;
    const boost::json::object* rules = nullptr;  // what rules found; looked at first
    const url::Url* base = nullptr;
};

// The schema describes an object, or a list of them. Of the things that a page describes the one that answers
// most of the schema is taken, so that two products are never mixed; lists take all things of one kind. Fails
// with `unsupported` if the schema wants something else, `too_large` if checking it takes too long.
Result<Filled> fill_schema(const schema::Schema& schema, const Material& material);

}  // namespace quarry::structured
