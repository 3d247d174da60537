// Where everything in a schema is: which document each part belongs to, what its names stand for, where its
// references lead, and its patterns, ready to match.
//
// A "resource" is a schema with an address of its own: a document, or a part of one that has an $id. Anchors
// and JSON Pointers are counted from the nearest one, and $dynamicRef from those that a check went through.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "schema/pattern.h"
#include "url/url.h"

namespace quarry::schema {

struct Resource {
    url::Url address;
    const boost::json::value* root = nullptr;
    std::map<std::string, const boost::json::value*, std::less<>> anchors{};  // dynamic ones, too
    std::map<std::string, const boost::json::value*, std::less<>> dynamic_anchors{};
};

// Where a reference leads.
struct Target {
    const boost::json::value* schema = nullptr;  // nullptr: the draft's own schema, which checks schemas
    std::string dynamic_anchor{};                // set if the way may lead elsewhere while checking
};

class Index {
public:
    // Holds copies of the documents; errors as in Schema::parse.
    static Result<std::unique_ptr<Index>> build(const boost::json::value& document,
                                                std::span<const boost::json::value> others);
    // Whether the value has the shape of a schema; references and patterns are not looked at.
    static bool is_schema(const boost::json::value& value);

    const boost::json::value& document() const { return documents_.front(); }
    const Resource* resource_of(const boost::json::value& schema) const;
    // Of the schema's $ref or $dynamicRef; nullptr if it has none.
    const Target* reference(const boost::json::value& schema) const;
    const Target* dynamic_reference(const boost::json::value& schema) const;
    const Pattern& pattern(std::string_view text) const;
    // Whether a schema asks what others have looked at: else nobody need remember.
    bool has_unevaluated() const { return has_unevaluated_; }

private:
    using Targets = std::unordered_map<const boost::json::value*, Target>;

    Result<void> add_document(const boost::json::value& document);
    Result<void> add(const boost::json::value& schema, Resource* resource);
    Result<void> add_members(const boost::json::object& schema, Resource* resource);
    Result<void> add_below(const boost::json::key_value_pair& member, Resource* resource);
    Result<void> add_child(std::string_view name, const boost::json::value& schema, Resource* resource);
    Result<Resource*> enter(const boost::json::value& schema, Resource* around);
    Result<void> add_anchors(const boost::json::value& schema, Resource& resource);
    Result<void> add_pattern(std::string_view text);
    Result<void> follow_references();
    Result<Target> resolve(const boost::json::value& schema, std::string_view reference);
    Result<const boost::json::value*> find(Resource& resource, std::string_view fragment);
    std::unexpected<Error> wrong(std::string_view message) const;

    std::deque<boost::json::value> documents_;
    std::deque<Resource> resources_;
    std::map<std::string, Resource*, std::less<>> by_address_;
    std::unordered_map<const boost::json::value*, Resource*> resource_of_;
    std::vector<const boost::json::value*> unfollowed_;
    Targets references_, dynamic_references_;
    std::map<std::string, Pattern, std::less<>> patterns_;
    std::string where_;  // of what is being added
    int nesting_ = 0;
    bool shapes_only_ = false;
    bool has_unevaluated_ = false;
};

}  // namespace quarry::schema
