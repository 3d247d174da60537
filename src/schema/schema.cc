// One check of one value against a schema.
#include "schema/schema.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <fmt/format.h>

#include "base/result.h"
#include "schema/assertions.h"
#include "schema/index.h"
#include "schema/json_values.h"

namespace quarry::schema {

namespace json = boost::json;

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

namespace {

const json::array* list_at(const json::object& schema, std::string_view key) {
    const json::value* value = schema.if_contains(key);
    return value != nullptr ? value->if_array() : nullptr;
}

const json::object* map_at(const json::object& schema, std::string_view key) {
    const json::value* value = schema.if_contains(key);
    return value != nullptr ? value->if_object() : nullptr;
}

}  // namespace

// Keeps count of the way down, and of the resources on it.
class Evaluation::Step {
public:
    Step(Evaluation& evaluation, const Value& schema) : evaluation_(evaluation) {
        ++evaluation_.depth_;
        evaluation_.scope_.push_back(evaluation_.index_.resource_of(schema));
    }
    ~Step() {
        --evaluation_.depth_;
        evaluation_.scope_.pop_back();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

private:
    Evaluation& evaluation_;
};

class Evaluation::Trial {
public:
    explicit Trial(Evaluation& evaluation) : evaluation_(evaluation) { ++evaluation_.trials_; }
    ~Trial() { --evaluation_.trials_; }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

private:
    Evaluation& evaluation_;
};

Result<std::vector<Problem>> Evaluation::run(const Value& value) {
    Seen seen;
    check(index_.document(), value, seen);
    if (is_over_)
        return fail(ErrorCode::too_large,
                    "checking the value against the schema takes too long, or recurses too deeply");
    return std::move(problems_);
}

bool Evaluation::may_go_on(std::size_t work) {
    work_ += work;
    if (work_ > SchemaLimits::work || depth_ >= SchemaLimits::depth) is_over_ = true;
    return !is_over_;
}

bool Evaluation::complain(std::string message) {
    if (trials_ > 0 || problems_.size() >= SchemaLimits::problems) return false;
    Problem problem{.message = std::move(message)};
    for (const auto& step : place_) {
        const auto* name = std::get_if<std::string_view>(&step);
        append_to_pointer(problem.where,
                          name != nullptr ? *name : std::to_string(std::get<std::size_t>(step)));
    }
    problems_.push_back(std::move(problem));
    return false;
}

bool Evaluation::check(const Value& schema, const Value& value, Seen& seen) {
    if (!may_go_on(1)) return false;
    if (const bool* allowed = schema.if_bool()) return *allowed || complain("is not allowed");
    const Step step(*this, schema);
    Seen here;
    if (!check_keywords(schema, value, here)) return false;
    if (index_.has_unevaluated()) seen.merge(here);
    return true;
}

bool Evaluation::check_keywords(const Value& schema, const Value& value, Seen& seen) {
    const Object& keywords = schema.get_object();
    bool is_valid = check_here(keywords, value);
    is_valid &= check_references(schema, value, seen);
    is_valid &= check_combinations(keywords, value, seen);
    if (value.is_object()) is_valid &= check_members(keywords, value, seen);
    if (const Array* items = value.if_array()) {
        is_valid &= check_items(keywords, *items, seen);
        is_valid &= check_contains(keywords, *items, seen);
    }
    // What a failed check has looked at counts for nothing, so its rest is not worth a complaint.
    if (is_valid && index_.has_unevaluated()) is_valid = check_unevaluated(keywords, value, seen);
    return is_valid;
}

bool Evaluation::check_here(const Object& schema, const Value& value) {
    bool is_valid = true;
    if (const Array* choices = list_at(schema, "enum")) may_go_on(choices->size());
    check_assertions(schema, value, [&](std::string message) { is_valid = complain(std::move(message)); });
    const json::string* text = value.if_string();
    const Value* pattern = schema.if_contains("pattern");
    if (text == nullptr || pattern == nullptr || !may_go_on(1 + text->size() / 64)) return is_valid;
    if (index_.pattern(pattern->get_string()).is_in(*text)) return is_valid;
    return complain(fmt::format("does not match {}", std::string_view(pattern->get_string())));
}

bool Evaluation::check_references(const Value& schema, const Value& value, Seen& seen) {
    bool is_valid = true;
    if (const Target* target = index_.reference(schema))
        is_valid &= check_target(target->schema, value, seen);
    if (const Target* target = index_.dynamic_reference(schema)) {
        const bool is_dynamic = !target->dynamic_anchor.empty();
        const Value* found = is_dynamic ? outermost(target->dynamic_anchor, target->schema) : target->schema;
        is_valid &= check_target(found, value, seen);
    }
    return is_valid;
}

bool Evaluation::check_target(const Value* schema, const Value& value, Seen& seen) {
    if (schema != nullptr) return check(*schema, value, seen);
    return Index::is_schema(value) || complain("is not a schema");
}

const json::value* Evaluation::outermost(const std::string& dynamic_anchor, const Value* otherwise) const {
    for (const Resource* resource : scope_) {
        if (resource == nullptr) continue;
        const auto found = resource->dynamic_anchors.find(dynamic_anchor);
        if (found != resource->dynamic_anchors.end()) return found->second;
    }
    return otherwise;
}

bool Evaluation::tries(const Value& schema, const Value& value, Seen& seen) {
    const Trial trial(*this);
    return check(schema, value, seen);
}

bool Evaluation::check_combinations(const Object& schema, const Value& value, Seen& seen) {
    bool is_valid = true;
    if (const Array* all = list_at(schema, "allOf"))
        for (const Value& one : *all) is_valid &= check(one, value, seen);
    if (const Array* any = list_at(schema, "anyOf")) is_valid &= check_any(*any, value, seen);
    if (const Array* one = list_at(schema, "oneOf")) is_valid &= check_one(*one, value, seen);
    if (const Value* forbidden = schema.if_contains("not")) {
        Seen ignored;
        if (tries(*forbidden, value, ignored)) is_valid = complain("is what the schema excludes");
    }
    return check_condition(schema, value, seen) && is_valid;
}

bool Evaluation::check_any(const Array& schemas, const Value& value, Seen& seen) {
    bool is_valid = false;
    for (const Value& schema : schemas) {
        is_valid |= tries(schema, value, seen);
        // The others matter only to those who ask what was looked at.
        if (is_valid && !index_.has_unevaluated()) return true;
    }
    if (is_valid) return true;
    if (schemas.size() == 1) return check(schemas.front(), value, seen);
    return complain("is none of the alternatives that the schema allows");
}

bool Evaluation::check_one(const Array& schemas, const Value& value, Seen& seen) {
    std::size_t matched = 0;
    for (const Value& schema : schemas) matched += tries(schema, value, seen) ? 1 : 0;
    if (matched == 1) return true;
    return complain(matched == 0 ? "is none of the alternatives that the schema allows"
                                 : "is more than one of the alternatives that the schema allows");
}

bool Evaluation::check_condition(const Object& schema, const Value& value, Seen& seen) {
    const Value* condition = schema.if_contains("if");
    if (condition == nullptr) return true;
    const Value* then = schema.if_contains(tries(*condition, value, seen) ? "then" : "else");
    return then == nullptr || check(*then, value, seen);
}

bool Evaluation::check_below(const Value& schema, std::variant<std::string_view, std::size_t> place,
                             const Value& value) {
    place_.push_back(place);
    Seen below;
    const bool is_valid = check(schema, value, below);
    place_.pop_back();
    return is_valid;
}

bool Evaluation::check_members(const Object& schema, const Value& value, Seen& seen) {
    const Object& object = value.get_object();
    const Value* names = schema.if_contains("propertyNames");
    bool is_valid = check_dependents(schema, value, seen);
    std::size_t place = 0;
    for (const auto& member : object) {
        if (!may_go_on(1)) return false;
        bool is_known = false;
        is_valid &= check_member(schema, member, is_known);
        if (is_known) seen.mark(place, object.size());
        if (names != nullptr)
            is_valid &= check_below(*names, std::string_view(member.key()), Value(member.key()));
        ++place;
    }
    return is_valid;
}

bool Evaluation::check_member(const Object& schema, const json::key_value_pair& member, bool& is_known) {
    const std::string_view name = member.key();
    bool is_valid = true;
    if (const Object* properties = map_at(schema, "properties")) {
        const Value* below = properties->if_contains(name);
        is_known |= below != nullptr;
        if (below != nullptr) is_valid &= check_below(*below, name, member.value());
    }
    if (const Object* patterns = map_at(schema, "patternProperties")) {
        for (const auto& pattern : *patterns) {
            if (!may_go_on(1 + name.size() / 64)) return false;
            if (!index_.pattern(pattern.key()).is_in(name)) continue;
            is_known = true;
            is_valid &= check_below(pattern.value(), name, member.value());
        }
    }
    const Value* rest = schema.if_contains("additionalProperties");
    if (is_known || rest == nullptr) return is_valid;
    is_known = true;
    return check_below(*rest, name, member.value()) && is_valid;
}

bool Evaluation::check_dependents(const Object& schema, const Value& value, Seen& seen) {
    const Object* dependents = map_at(schema, "dependentSchemas");
    if (dependents == nullptr) return true;
    bool is_valid = true;
    for (const auto& member : *dependents)
        if (value.get_object().contains(member.key())) is_valid &= check(member.value(), value, seen);
    return is_valid;
}

bool Evaluation::check_items(const Object& schema, const Array& items, Seen& seen) {
    const Array* first = list_at(schema, "prefixItems");
    const Value* rest = schema.if_contains("items");
    const std::size_t listed = first != nullptr ? std::min(first->size(), items.size()) : 0;
    const std::size_t checked = rest != nullptr ? items.size() : listed;
    bool is_valid = true;
    for (std::size_t i = 0; i < checked; ++i) {
        if (!may_go_on(1)) return false;
        is_valid &= check_below(i < listed ? (*first)[i] : *rest, i, items[i]);
    }
    if (index_.has_unevaluated()) seen.mark_first(checked, items.size());
    return is_valid;
}

bool Evaluation::check_contains(const Object& schema, const Array& items, Seen& seen) {
    const Value* wanted = schema.if_contains("contains");
    if (wanted == nullptr) return true;
    std::size_t found = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        Seen ignored;
        if (!tries(*wanted, items[i], ignored)) continue;
        ++found;
        if (index_.has_unevaluated()) seen.mark(i, items.size());
    }
    const Value* least = schema.if_contains("minContains");
    const Value* most = schema.if_contains("maxContains");
    const auto count = static_cast<double>(found);
    if (count < (least != nullptr ? number_of(*least) : 1))
        return complain("has too few of the items it must contain");
    if (most != nullptr && count > number_of(*most))
        return complain("has too many of the items it may contain");
    return true;
}

bool Evaluation::check_unevaluated(const Object& schema, const Value& value, Seen& seen) {
    bool is_valid = true;
    if (const Value* rest = schema.if_contains("unevaluatedProperties");
        rest != nullptr && value.is_object()) {
        std::size_t place = 0;
        for (const auto& member : value.get_object()) {
            if (!seen.has(place))
                is_valid &= check_below(*rest, std::string_view(member.key()), member.value());
            seen.mark(place++, value.get_object().size());
        }
    }
    if (const Value* rest = schema.if_contains("unevaluatedItems"); rest != nullptr && value.is_array()) {
        const Array& items = value.get_array();
        for (std::size_t i = 0; i < items.size(); ++i)
            if (!seen.has(i)) is_valid &= check_below(*rest, i, items[i]);
        seen.mark_first(items.size(), items.size());
    }
    return is_valid;
}

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
