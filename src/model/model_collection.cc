#include "model/model_collection.h"

#include <fmt/format.h>

namespace quarry {

Error no_such_collection(std::string_view name, const std::vector<Collection>& known) {
    std::string names;
    for (const Collection& collection : known)
        names += fmt::format("{}{}", names.empty() ? "; there are: " : ", ", collection.name);
    if (names.empty()) names = ". There is none yet: quarry crawl and quarry import make them";
    return {ErrorCode::not_found, fmt::format("no collection \"{}\"{}", name, names)};
}

}  // namespace quarry
