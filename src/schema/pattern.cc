#include "schema/pattern.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <re2/re2.h>

namespace quarry::schema {

namespace {

constexpr std::size_t longest = 4 << 10;
constexpr std::int64_t most_memory = 1 << 20;

// What ECMAScript's \s means, without the brackets of a class.
constexpr std::string_view spaces =
    R"(\t\n\v\f\r\x20\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";

// Long names of general categories, which RE2 knows by their short ones only.
constexpr std::pair<std::string_view, std::string_view> categories[] = {
    {"Letter", "L"},
    {"Lowercase_Letter", "Ll"},
    {"Uppercase_Letter", "Lu"},
    {"Mark", "M"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Other", "C"},
    {"Currency_Symbol", "Sc"},
    {"Space_Separator", "Zs"},
};

bool are_hex(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

class Translation {
public:
    explicit Translation(std::string_view pattern) : rest_(pattern) {}

    std::string run() {
        while (!rest_.empty()) {
            if (rest_.size() > 1 && rest_.front() == '\\')
                escape();
            else
                plain();
        }
        return std::move(result_);
    }

private:
    void take(std::size_t count) {
        result_ += rest_.substr(0, count);
        rest_.remove_prefix(count);
    }

    void replace(std::size_t count, std::string_view with) {
        result_ += with;
        rest_.remove_prefix(count);
    }

    void plain() {
        if (!in_class_ && rest_.starts_with("[^]")) return replace(3, R"([\x00-\x{10ffff}])");
        if (!in_class_ && rest_.starts_with("(?<") && !rest_.starts_with("(?<=") &&
            !rest_.starts_with("(?<!"))
            return replace(3, "(?P<");
        if (rest_.front() == '[' && in_class_) return replace(1, R"(\[)");
        if (rest_.front() == '[') in_class_ = true;
        if (rest_.front() == ']') in_class_ = false;
        take(1);
    }

    void escape() {
        switch (rest_[1]) {
            case 'u': return unicode();
            case 'c': return control();
            case 's': return replace(2, in_class_ ? std::string(spaces) : fmt::format("[{}]", spaces));
            case 'S': return in_class_ ? take(2) : replace(2, fmt::format("[^{}]", spaces));
            case 'p':
            case 'P': return category();
            case '0': return replace(2, R"(\x00)");
            // Anchors and classes of other dialects, which ECMAScript does not know, must not be taken for
            // them.
            case 'a':
            case 'A':
            case 'z':
            case 'Z':
            case 'Q':
            case 'E':
            case 'C':
                return replace(2, fmt::format(R"(\x{{{:x}}}\p{{unknown}})", static_cast<int>(rest_[1])));
            default: return take(2);
        }
    }

    void unicode() {
        if (rest_.size() >= 6 && are_hex(rest_.substr(2, 4)))
            return replace(6, fmt::format(R"(\x{{{}}})", rest_.substr(2, 4)));
        const std::size_t end = rest_.find('}');
        if (rest_.substr(2).starts_with('{') && end != rest_.npos && are_hex(rest_.substr(3, end - 3)))
            return replace(end + 1, fmt::format(R"(\x{})", rest_.substr(2, end - 1)));
        take(2);
    }

    void control() {
        if (rest_.size() < 3 || std::isalpha(static_cast<unsigned char>(rest_[2])) == 0) return take(2);
        replace(3, fmt::format(R"(\x{:02x})", rest_[2] & 0x1F));
    }

    void category() {
        const std::size_t end = rest_.find('}');
        if (rest_.size() > 2 && rest_[2] == '{' && end != rest_.npos) {
            const std::string_view name = rest_.substr(3, end - 3);
            const auto* const found =
                std::ranges::find(categories, name, &std::pair<std::string_view, std::string_view>::first);
            if (found != std::end(categories))
                return replace(end + 1, fmt::format(R"(\{}{{{}}})", rest_[1], found->second));
        }
        take(2);
    }

    std::string_view rest_;
    std::string result_;
    bool in_class_ = false;
};

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::parse(std::string_view text) {
    if (text.size() > longest)
        return fail(ErrorCode::too_large,
                    fmt::format("the pattern \"{}…\" is longer than 4 KB", text.substr(0, 40)));
    RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(most_memory);
    auto compiled = std::make_unique<re2::RE2>(in_re2_syntax(text), options);
    if (!compiled->ok())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a pattern that quarry can match (RE2 syntax): {}", text,
                                compiled->error()));
    return Pattern(std::move(compiled));
}

bool Pattern::is_in(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

std::string in_re2_syntax(std::string_view pattern) {
    return Translation(pattern).run();
}

}  // namespace quarry::schema
