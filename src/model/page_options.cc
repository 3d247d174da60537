#include "model/page_options.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace quarry {

namespace {

struct NamedFormat {
    std::string_view name;
    bool Formats::* wanted;
};

constexpr std::array named_formats{
    NamedFormat{"markdown", &Formats::markdown}, NamedFormat{"html", &Formats::html},
    NamedFormat{"rawHtml", &Formats::raw_html},  NamedFormat{"text", &Formats::text},
    NamedFormat{"links", &Formats::links},       NamedFormat{"images", &Formats::images},
    NamedFormat{"branding", &Formats::branding}, NamedFormat{"metadata", &Formats::metadata},
};

std::string known_names() {
    std::string names;
    for (const NamedFormat& format : named_formats) {
        if (!names.empty()) names += ", ";
        names += format.name;
    }
    return names;
}

}  // namespace

Result<Formats> parse_formats(std::string_view list) {
    Formats formats{.markdown = false, .metadata = false};
    while (true) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view name = trimmed(list.substr(0, comma));
        const auto found = std::ranges::find(named_formats, name, &NamedFormat::name);
        if (found == named_formats.end()) {
            return fail(ErrorCode::invalid_argument,
                        "unknown format \"" + std::string(name) + "\"; there are " + known_names());
        }
        formats.*(found->wanted) = true;
        if (comma == list.size()) return formats;
        list.remove_prefix(comma + 1);
    }
}

}  // namespace quarry
