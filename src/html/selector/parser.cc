#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "html/characters.h"
#include "html/encoding/decoders.h"
#include "html/selector/selector.h"

namespace quarry::html {
namespace {

bool is_identifier_start(char c) {
    return is_alpha(c) || c == '_' || static_cast<signed char>(c) < 0;
}
bool is_identifier_part(char c) {
    return is_identifier_start(c) || is_digit(c) || c == '-';
}
bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Pseudo-classes without an argument.
struct PseudoClass {
    std::string_view name;
    SimpleSelector meaning;
};

const std::vector<PseudoClass>& plain_pseudo_classes() {
    using enum SimpleKind;
    static const std::vector<PseudoClass> table = {
        {"root", {.kind = root}},
        {"scope", {.kind = root}},
        {"empty", {.kind = empty}},
        {"first-child", {.kind = nth, .offset = 1}},
        {"last-child", {.kind = nth, .from_end = true, .offset = 1}},
        {"only-child", {.kind = only_child}},
        {"first-of-type", {.kind = nth, .of_type = true, .offset = 1}},
        {"last-of-type", {.kind = nth, .from_end = true, .of_type = true, .offset = 1}},
        {"only-of-type", {.kind = only_of_type}},
        {"checked", {.kind = checked}},
        {"disabled", {.kind = disabled}},
        {"enabled", {.kind = enabled}},
        {"link", {.kind = link}},
        {"any-link", {.kind = link}},
        {"visited", {.kind = never}},
        {"hover", {.kind = never}},
        {"active", {.kind = never}},
        {"focus", {.kind = never}},
        {"focus-within", {.kind = never}},
        {"focus-visible", {.kind = never}},
        {"target", {.kind = never}},
    };
    return table;
}

// Pseudo-classes with an argument; nth ones carry their flags here.
const std::vector<PseudoClass>& functional_pseudo_classes() {
    using enum SimpleKind;
    static const std::vector<PseudoClass> table = {
        {"is", {.kind = is}},
        {"where", {.kind = is}},
        {"matches", {.kind = is}},
        {"not", {.kind = not_}},
        {"has", {.kind = has}},
        {"lang", {.kind = lang}},
        {"nth-child", {.kind = nth}},
        {"nth-last-child", {.kind = nth, .from_end = true}},
        {"nth-of-type", {.kind = nth, .of_type = true}},
        {"nth-last-of-type", {.kind = nth, .from_end = true, .of_type = true}},
    };
    return table;
}

std::optional<SimpleSelector> find_pseudo_class(const std::vector<PseudoClass>& table,
                                                std::string_view name) {
    const auto found = std::ranges::find(table, name, &PseudoClass::name);
    return found == table.end() ? std::nullopt : std::optional(found->meaning);
}

enum class Relative : bool { no, yes };

class SelectorParser {
public:
    explicit SelectorParser(std::string_view text) : text_(text) {}

    Result<SelectorList> run() {
        if (text_.size() > SelectorLimits::bytes) {
            return fail(ErrorCode::too_large,
                        fmt::format("selector is longer than {} bytes", SelectorLimits::bytes));
        }
        SelectorList list = *TRY(parse_list(Relative::no));
        if (!at_end()) return error(fmt::format("unexpected \"{}\"", here()));
        return list;
    }

private:
    bool at_end() const { return position_ >= text_.size(); }
    char here() const { return at_end() ? '\0' : text_[position_]; }
    char ahead(std::size_t distance) const {
        return position_ + distance < text_.size() ? text_[position_ + distance] : '\0';
    }
    bool take(char c) {
        if (at_end() || here() != c) return false;
        ++position_;
        return true;
    }

    std::unexpected<Error> error(std::string_view problem,
                                 ErrorCode code = ErrorCode::invalid_argument) const {
        return fail(code, fmt::format("selector \"{}\": {} at character {}", text_, problem, position_ + 1));
    }

    // White space and comments. True if there was any.
    bool skip_space() {
        const std::size_t before = position_;
        for (;;) {
            while (is_space(here())) ++position_;
            if (here() != '/' || ahead(1) != '*') return position_ != before;
            const std::size_t close = text_.find("*/", position_ + 2);
            position_ = close == std::string_view::npos ? text_.size() : close + 2;
        }
    }

    bool at_identifier() const {
        if (here() == '-') {
            return is_identifier_start(ahead(1)) || ahead(1) == '-' || (ahead(1) == '\\' && ahead(2) != '\n');
        }
        return is_identifier_start(here()) || (here() == '\\' && ahead(1) != '\n');
    }

    Result<std::shared_ptr<const SelectorList>> parse_list(Relative relative);
    Result<ComplexSelector> parse_complex(Relative relative);
    std::optional<Combinator> parse_combinator();
    Result<CompoundSelector> parse_compound(Combinator combinator);
    Result<SimpleSelector> parse_type();
    Result<std::optional<SimpleSelector>> parse_suffix();
    Result<SimpleSelector> parse_attribute();
    Result<AttributeOperation> parse_operation();
    Result<SimpleSelector> parse_pseudo_class();
    Result<SimpleSelector> parse_function(SimpleSelector meaning);
    Result<void> parse_nth(SimpleSelector& simple);
    Result<void> parse_an_plus_b(SimpleSelector& simple);
    Result<std::int32_t> parse_number();
    Result<std::string> parse_identifier();
    Result<std::string> parse_string();
    Result<std::string> parse_identifier_or_string();
    void append_escaped(std::string& text);

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t depth_ = 0;
    std::size_t simples_ = 0;
};

Result<std::shared_ptr<const SelectorList>> SelectorParser::parse_list(Relative relative) {
    auto list = std::make_shared<SelectorList>();
    do {
        list->selectors.push_back(TRY(parse_complex(relative)));
        skip_space();
    } while (take(','));
    return list;
}

Result<ComplexSelector> SelectorParser::parse_complex(Relative relative) {
    ComplexSelector complex;
    skip_space();
    auto combinator = relative == Relative::yes ? parse_combinator() : std::nullopt;
    do {
        if (complex.compounds.size() == SelectorLimits::compounds_in_chain) {
            return error("too many steps in one selector", ErrorCode::too_large);
        }
        complex.compounds.push_back(TRY(parse_compound(combinator.value_or(Combinator::descendant))));
        combinator = parse_combinator();
    } while (combinator);
    return complex;
}

// White space is the descendant combinator unless another one, or the end of the selector, follows it.
std::optional<Combinator> SelectorParser::parse_combinator() {
    const bool spaced = skip_space();
    std::optional<Combinator> combinator;
    if (take('>')) combinator = Combinator::child;
    if (!combinator && take('+')) combinator = Combinator::next_sibling;
    if (!combinator && take('~')) combinator = Combinator::later_sibling;
    if (combinator) {
        skip_space();
        return combinator;
    }
    const bool ended = at_end() || here() == ',' || here() == ')';
    return spaced && !ended ? std::optional(Combinator::descendant) : std::nullopt;
}

Result<CompoundSelector> SelectorParser::parse_compound(Combinator combinator) {
    CompoundSelector compound{.combinator = combinator};
    if (here() == '*' || here() == '|' || at_identifier()) compound.simples.push_back(TRY(parse_type()));
    while (auto suffix = TRY(parse_suffix())) compound.simples.push_back(*std::move(suffix));
    if (compound.simples.empty()) {
        return at_end() ? error("expected a selector")
                        : error(fmt::format("expected a selector, not \"{}\"", here()));
    }
    simples_ += compound.simples.size();
    if (simples_ > SelectorLimits::simple_selectors) {
        return error("too many simple selectors", ErrorCode::too_large);
    }
    return compound;
}

Result<SimpleSelector> SelectorParser::parse_type() {
    if (here() == '*' && ahead(1) == '|') position_ += 2;  // "in any namespace" is what we always mean
    if (take('*')) return SimpleSelector{.kind = SimpleKind::universal};
    if (here() == '|') return error("namespaces are not supported");
    std::string name = TRY(parse_identifier());
    if (here() == '|' && ahead(1) != '=') return error("namespaces are not supported");
    return SimpleSelector{.kind = SimpleKind::type, .name = std::move(name)};
}

Result<std::optional<SimpleSelector>> SelectorParser::parse_suffix() {
    switch (here()) {
        case '#': {
            ++position_;
            // An id may start with a digit here, unlike a class: "#1a" is a hash token, and pages have such
            // ids.
            std::string name;
            while (is_identifier_part(here()) || here() == '\\') {
                here() == '\\' ? append_escaped(name) : name.push_back(text_[position_++]);
            }
            if (name.empty()) return error("expected a name after \"#\"");
            return SimpleSelector{.kind = SimpleKind::id, .name = std::move(name)};
        }
        case '.':
            ++position_;
            return SimpleSelector{.kind = SimpleKind::class_, .name = TRY(parse_identifier())};
        case '[': ++position_; return TRY(parse_attribute());
        case ':': ++position_; return TRY(parse_pseudo_class());
        default: return std::nullopt;
    }
}

Result<SimpleSelector> SelectorParser::parse_attribute() {
    SimpleSelector simple{.kind = SimpleKind::attribute};
    skip_space();
    if (here() == '*' && ahead(1) == '|') position_ += 2;
    simple.name = TRY(parse_identifier());
    skip_space();
    if (take(']')) return simple;
    simple.operation = TRY(parse_operation());
    skip_space();
    simple.value = TRY(parse_identifier_or_string());
    skip_space();
    const char flag = to_lower(here());
    if (flag == 'i' || flag == 's') {
        simple.value_case = flag == 'i' ? ValueCase::ignored : ValueCase::exact;
        ++position_;
        skip_space();
    }
    if (!take(']')) return error("expected \"]\"");
    return simple;
}

Result<AttributeOperation> SelectorParser::parse_operation() {
    using enum AttributeOperation;
    if (take('=')) return equals;
    if (ahead(1) != '=') return error("expected \"]\", \"=\" or another comparison");
    const char sign = here();
    constexpr std::string_view signs = "~|^$*";
    static constexpr AttributeOperation operations[] = {includes, dash_match, starts_with, ends_with,
                                                        contains};
    const std::size_t index = signs.find(sign);
    if (index == std::string_view::npos) return error(fmt::format("unknown comparison \"{}=\"", sign));
    position_ += 2;
    return operations[index];
}

Result<SimpleSelector> SelectorParser::parse_pseudo_class() {
    if (here() == ':') return error("pseudo-elements name nothing in a page");
    const std::string name = lower_case(TRY(parse_identifier()));
    const bool is_function = take('(');
    auto meaning =
        find_pseudo_class(is_function ? functional_pseudo_classes() : plain_pseudo_classes(), name);
    if (!meaning) return error(fmt::format("unknown pseudo-class \":{}{}\"", name, is_function ? "()" : ""));
    return is_function ? parse_function(*std::move(meaning)) : *std::move(meaning);
}

Result<SimpleSelector> SelectorParser::parse_function(SimpleSelector meaning) {
    if (++depth_ > SelectorLimits::nesting) return error("too deeply nested", ErrorCode::too_large);
    skip_space();
    switch (meaning.kind) {
        case SimpleKind::nth: TRY(parse_nth(meaning)); break;
        case SimpleKind::lang: meaning.value = TRY(parse_identifier_or_string()); break;
        case SimpleKind::has: meaning.nested = TRY(parse_list(Relative::yes)); break;
        default: meaning.nested = TRY(parse_list(Relative::no));
    }
    skip_space();
    if (!take(')')) return error("expected \")\"");
    --depth_;
    return meaning;
}

Result<void> SelectorParser::parse_nth(SimpleSelector& simple) {
    TRY(parse_an_plus_b(simple));
    skip_space();
    if (simple.of_type || !text_.substr(position_).starts_with("of")) return {};
    position_ += 2;
    simple.nested = TRY(parse_list(Relative::no));
    return {};
}

// "odd", "even", "3", "n", "-n+3", "2n - 1": white space only around the last sign.
Result<void> SelectorParser::parse_an_plus_b(SimpleSelector& simple) {
    const auto take_word = [this](std::string_view word) {
        if (lower_case(text_.substr(position_, word.size())) != word) return false;
        position_ += word.size();
        return true;
    };
    if (take_word("odd")) return simple.step = 2, simple.offset = 1, Result<void>();
    if (take_word("even")) return simple.step = 2, Result<void>();
    const std::int32_t sign = take('-') ? -1 : (take('+'), 1);
    const bool counted = is_digit(here());
    const std::int32_t number = counted ? TRY(parse_number()) : 1;
    if (to_lower(here()) != 'n') {
        if (!counted) return error("expected a number, \"odd\", \"even\" or \"an+b\"");
        simple.offset = sign * number;
        return {};
    }
    ++position_;
    simple.step = sign * number;
    const std::size_t after_n = position_;
    skip_space();
    if (here() != '+' && here() != '-') return position_ = after_n, Result<void>();
    const std::int32_t offset_sign = text_[position_++] == '-' ? -1 : 1;
    skip_space();
    simple.offset = offset_sign * TRY(parse_number());
    return {};
}

Result<std::int32_t> SelectorParser::parse_number() {
    const std::string_view rest = text_.substr(position_);
    std::int32_t number = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (problem == std::errc::result_out_of_range) return error("number is too large");
    if (problem != std::errc()) return error("expected a number");
    position_ += static_cast<std::size_t>(end - rest.data());
    return number;
}

Result<std::string> SelectorParser::parse_identifier() {
    if (!at_identifier()) return error("expected a name");
    std::string name;
    while (is_identifier_part(here()) || (here() == '\\' && ahead(1) != '\n')) {
        here() == '\\' ? append_escaped(name) : name.push_back(text_[position_++]);
    }
    return name;
}

Result<std::string> SelectorParser::parse_string() {
    const char quote = text_[position_++];
    std::string value;
    while (!at_end() && here() != quote && here() != '\n') {
        here() == '\\' ? append_escaped(value) : value.push_back(text_[position_++]);
    }
    if (!take(quote)) return error("unfinished string");
    return value;
}

Result<std::string> SelectorParser::parse_identifier_or_string() {
    return here() == '"' || here() == '\'' ? parse_string() : parse_identifier();
}

// "\26 B" is a character by number, ended by one space; "\:" is the character itself; an escaped line break
// in a string is nothing.
void SelectorParser::append_escaped(std::string& text) {
    ++position_;
    if (take('\n') || at_end()) return;
    if (!is_hex_digit(here())) {
        text.push_back(text_[position_++]);
        return;
    }
    const std::size_t start = position_;
    while (is_hex_digit(here()) && position_ - start < 6) ++position_;
    std::uint32_t code_point = 0;
    std::from_chars(text_.data() + start, text_.data() + position_, code_point, 16);
    if (is_space(here())) ++position_;
    const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
    append_utf8(text, code_point == 0 || is_surrogate || code_point > 0x10FFFF ? 0xFFFD : code_point);
}

}  // namespace

Result<SelectorList> parse_selectors(std::string_view text) {
    return SelectorParser(text).run();
}

}  // namespace quarry::html
