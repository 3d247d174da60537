// One check of one value against a schema.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "schema/index.h"
#include "schema/schema.h"

namespace quarry::schema {

// Which members or items of a value some schema has looked at, by their place; empty: none.
class Seen {
public:
    void mark(std::size_t place, std::size_t of) {
        if (marks_.empty()) marks_.resize(of);
        marks_[place] = true;
    }
    void mark_first(std::size_t count, std::size_t of) {
        for (std::size_t place = 0; place < count; ++place) mark(place, of);
    }
    void merge(const Seen& other) {
        for (std::size_t place = 0; place < other.marks_.size(); ++place)
            if (other.marks_[place]) mark(place, other.marks_.size());
    }
    bool has(std::size_t place) const { return !marks_.empty() && marks_[place]; }

private:
    std::vector<bool> marks_;
};

class Evaluation {
public:
    explicit Evaluation(const Index& index) : index_(index) {}

    Result<std::vector<Problem>> run(const boost::json::value& value);

private:
    using Value = boost::json::value;
    using Object = boost::json::object;
    using Array = boost::json::array;
    class Step;
    class Trial;

    // True if the value keeps the schema; `seen` grows only then.
    bool check(const Value& schema, const Value& value, Seen& seen);
    bool check_keywords(const Value& schema, const Value& value, Seen& seen);
    bool check_here(const Object& schema, const Value& value);
    bool check_references(const Value& schema, const Value& value, Seen& seen);
    bool check_target(const Value* schema, const Value& value, Seen& seen);
    bool check_combinations(const Object& schema, const Value& value, Seen& seen);
    bool check_any(const Array& schemas, const Value& value, Seen& seen);
    bool check_one(const Array& schemas, const Value& value, Seen& seen);
    bool check_condition(const Object& schema, const Value& value, Seen& seen);
    bool check_members(const Object& schema, const Value& value, Seen& seen);
    bool check_member(const Object& schema, const boost::json::key_value_pair& member, bool& is_known);
    bool check_dependents(const Object& schema, const Value& value, Seen& seen);
    bool check_items(const Object& schema, const Array& items, Seen& seen);
    bool check_contains(const Object& schema, const Array& items, Seen& seen);
    bool check_unevaluated(const Object& schema, const Value& value, Seen& seen);
    bool check_below(const Value& schema, std::variant<std::string_view, std::size_t> place,
                     const Value& value);
    bool tries(const Value& schema, const Value& value, Seen& seen);

    const Value* outermost(const std::string& dynamic_anchor, const Value* otherwise) const;
    bool may_go_on(std::size_t work);
    bool complain(std::string message);

    const Index& index_;
    std::vector<Problem> problems_;
    std::vector<const Resource*> scope_;  // the resources that the check went through, outermost first
    std::vector<std::variant<std::string_view, std::size_t>> place_;
    std::size_t work_ = 0;
    int depth_ = 0;
    int trials_ = 0;  // while above 0 nothing is told: it may yet be right otherwise
    bool is_over_ = false;
};

}  // namespace quarry::schema
