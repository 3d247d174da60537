#include "crawl/path_filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace quarry::crawl {

namespace {

constexpr std::size_t longest_expression = 4 << 10;
constexpr std::size_t most_expressions = 1'000;
constexpr std::int64_t memory_of_one = 1 << 20;
constexpr std::int64_t memory_of_all = 8 << 20;

RE2::Options quiet(std::int64_t memory) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(memory);
    // URLs are ASCII; bytes keep RE2's automata small.
    options.set_encoding(RE2::Options::EncodingLatin1);
    return options;
}

Result<void> check_one(const std::string& expression) {
    if (expression.size() > longest_expression)
        return fail(ErrorCode::too_large,
                    fmt::format("the expression \"{}…\" is longer than 4 KB", expression.substr(0, 40)));
    const RE2 compiled(expression, quiet(memory_of_one));
    if (compiled.ok()) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is not an expression that quarry can match (RE2 syntax): {}", expression,
                            compiled.error()));
}

}  // namespace

PathFilter::PathFilter() = default;
PathFilter::PathFilter(PathFilter&&) noexcept = default;
PathFilter& PathFilter::operator=(PathFilter&&) noexcept = default;
PathFilter::~PathFilter() = default;

Result<PathFilter> PathFilter::create(std::span<const std::string> expressions) {
    PathFilter filter;
    if (expressions.empty()) return filter;
    if (expressions.size() > most_expressions)
        return fail(ErrorCode::too_large,
                    "a crawl takes at most 1,000 include and 1,000 exclude expressions");
    std::string joined;
    for (const std::string& expression : expressions) {
        TRY(check_one(expression));
        joined += joined.empty() ? "(?:" : "|(?:";
        joined += expression;
        joined += ')';
    }
    filter.joined_ = std::make_unique<RE2>(joined, quiet(memory_of_all));
    if (!filter.joined_->ok())
        return fail(ErrorCode::too_large,
                    fmt::format("the expressions are too large together: {}", filter.joined_->error()));
    return filter;
}

bool PathFilter::matches(std::string_view text) const {
    return joined_ && RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *joined_);
}

}  // namespace quarry::crawl
