// Data of a page from a model: the page in parts, the answers merged, checked, and, if they are wrong, mended
// by one more round.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "chat/model.h"
#include "schema/schema.h"

namespace quarry::chat {

struct DataQuestion {
    std::string_view url{};
    std::string_view text{};                 // of the page, as markdown
    std::string_view prompt{};               // what is wanted, in words; may be empty if there is a schema
    const schema::Schema* schema = nullptr;  // may be null if there is a prompt
};

struct ModelData {
    boost::json::value data{};
    std::vector<schema::Problem> problems{};  // that the second round left
};

// Fails as Model::ask_json does, and with `corrupt` if neither round gave JSON.
Result<ModelData> ask_data(Model& model, const DataQuestion& question, const std::stop_token& stop);

}  // namespace quarry::chat
