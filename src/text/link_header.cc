#include "text/link_header.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace quarry::text {

namespace {

constexpr std::size_t most_links = 100;

class LinkParser {
public:
    explicit LinkParser(std::string_view text) : rest_(text) {}

    std::vector<LinkValue> parse() {
        std::vector<LinkValue> links;
        while (!rest_.empty() && links.size() < most_links) {
            skip_space();
            if (auto link = take_link()) links.push_back(*std::move(link));
            skip_past_comma();
        }
        return links;
    }

private:
    std::optional<LinkValue> take_link() {
        if (!take('<')) return std::nullopt;
        const auto end = rest_.find('>');
        if (end == rest_.npos) {
            rest_ = {};
            return std::nullopt;
        }
        LinkValue link{.target = std::string(rest_.substr(0, end))};
        rest_.remove_prefix(end + 1);
        skip_space();
        while (take(';')) {
            take_parameter(link);
            skip_space();
        }
        return link;
    }

    // The first of each name counts.
    void take_parameter(LinkValue& link) {
        skip_space();
        const std::string name = lower_case(take_until("=;, \t"));
        skip_space();
        if (!take('=')) return;
        skip_space();
        const std::string value = lower_case(take('"') ? take_quoted() : take_until(";, \t"));
        if (name == "rel" && link.relation.empty()) link.relation = value;
        if (name == "type" && link.type.empty()) link.type = value;
    }

    // After the opening quote.
    std::string take_quoted() {
        std::string value;
        while (!rest_.empty()) {
            char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '"') break;
            if (c == '\\' && !rest_.empty()) {
                c = rest_.front();
                rest_.remove_prefix(1);
            }
            value += c;
        }
        return value;
    }

    std::string take_until(std::string_view stops) {
        const auto end = std::min(rest_.find_first_of(stops), rest_.size());
        std::string taken(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return taken;
    }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

    void skip_past_comma() {
        const auto comma = rest_.find(',');
        rest_ = comma == rest_.npos ? std::string_view{} : rest_.substr(comma + 1);
    }

    std::string_view rest_;
};

}  // namespace

std::vector<LinkValue> parse_link_header(std::string_view value) {
    return LinkParser(value).parse();
}

std::string link_target(const std::vector<Header>& headers, const WantedLink& wanted) {
    for (const Header& header : headers) {
        if (!equals_ignore_case(header.name, "link")) continue;
        for (const LinkValue& link : parse_link_header(header.value)) {
            const bool right_type = wanted.type.empty() || link.type == wanted.type;
            if (right_type && !link.target.empty() && has_word(link.relation, wanted.relation))
                return link.target;
        }
    }
    return {};
}

}  // namespace quarry::text
