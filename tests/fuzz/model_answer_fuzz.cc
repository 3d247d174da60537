// Answers of a model's server that may be anything: none may crash, and JSON that is found in one can be
// written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "chat/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const auto answer = quarry::chat::parse_model_answer(body);
    const auto found = quarry::chat::json_in(answer ? std::string_view(answer->text) : body);
    if (found && !found->is_structured()) std::abort();
    if (found) (void)boost::json::serialize(*found);
    return 0;
}
