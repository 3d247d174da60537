// Makes a value that was found on a page fit what a schema wants in its place: "$5" where a number belongs,
// a person's name where a person is described. A field may stand under another name than the schema's;
// synonyms_of knows which: schemas say "price", schema.org says "offers" with "price" in it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "schema/schema.h"
#include "url/url.h"

namespace quarry::structured {

// Under which names a field may stand: schemas say "price", schema.org says "offers" with "price" in it.

// Letters and digits only, in lower case: "Published Time", "published_time" and "publishedTime" are one
// name.
std::string plain_name(std::string_view name);

// Other names of a field, the likelier first, each a path with dots in plain names ("offers.price"); `name`
// is plain.
std::span<const std::string_view> synonyms_of(std::string_view name);

// Makes a value that was found on a page fit what a schema wants in its place: "$5" where a number belongs, a
// person's name where a person is described.

// Borrows the schema and the base, which may be null. Bounded in depth, and over its life in work: a large
// page against a large schema finds no more after some millions of names. For one thread.
class Fit {
public:
    Fit(const schema::Schema& schema, const url::Url* base) : schema_(schema), base_(base) {}

    // Nothing if the value cannot be made to fit. Bounds and patterns are not looked at: a value that breaks
    // them is told as a problem, not hidden.
    std::optional<boost::json::value> value(const boost::json::value& found,
                                            const boost::json::value& subschema) const;

    // The field of an item: by its name, then by the names that it has elsewhere.
    std::optional<boost::json::value> field(const boost::json::object& fields, std::string_view name,
                                            const boost::json::value& subschema) const;

    // How many of the schema's properties the item can answer.
    std::size_t score(const boost::json::object& fields, const boost::json::value& object_schema) const;

private:
    using Value = boost::json::value;
    using Object = boost::json::object;
    using Found = std::optional<boost::json::value>;

    Found fit(const Value& found, const Value& subschema, int depth) const;
    Found fit_type(const Value& found, const Object& schema, std::string_view type, int depth) const;
    Found fit_list(const Value& found, const Object& schema, int depth) const;
    Found fit_object(const Value& found, const Object& schema, int depth) const;
    Found fit_scalar(const Value& found, const Object& schema, std::string_view type, int depth) const;
    Found fit_text(std::string_view text, const Object& schema) const;
    Found field_at(const Object& fields, std::string_view name, const Value& subschema, int depth) const;

    // The value at a path of plain names ("offers.price"), looking into the first item of lists; or nullptr.
    const Value* find_path(const Object& fields, std::string_view path) const;
    const Value* member(const Object& fields, std::string_view name) const;

    const schema::Schema& schema_;
    const url::Url* base_;
    mutable std::size_t names_left_ = 5'000'000;
};

}  // namespace quarry::structured
