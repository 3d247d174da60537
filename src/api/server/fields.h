// JSON that a client sent, read within bounds and field by field. What is wrong is gathered, so that a
// client hears all of it at once, each with the place where it stands.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace quarry::api {

// Reading the JSON of a request field by field: what is wrong is gathered, so that a client hears all of it
// at once, each with the place where it stands.

struct Issue {
    std::string path{};  // "scrapeOptions.timeout"
    std::string message{};
};

// Nothing if it is no http or https URL, or too long for one.
std::optional<std::string> read_page_url(std::string_view text);

class Fields {
public:
    // Both outlive it. `prefix` is where the object stands: "scrapeOptions." or "".
    Fields(const boost::json::object& object, std::vector<Issue>& issues, std::string prefix = "")
        : object_(object), issues_(issues), prefix_(std::move(prefix)) {}

    // Nothing if it is not there, is null, or is of another kind, which is then an issue.
    std::optional<bool> flag(std::string_view name);
    std::optional<std::string> text(std::string_view name);
    std::optional<std::vector<std::string>> texts(std::string_view name);  // a list; one text counts as one
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least = 0,
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
    // The address of a page, as it is fetched: with a scheme, and normalised. It has to be there.
    std::optional<std::string> url(std::string_view name);
    std::optional<double> number(std::string_view name, double least, double most);
    const boost::json::object* object(std::string_view name);
    const boost::json::array* array(std::string_view name);
    const boost::json::value* any(std::string_view name) const;

    // An issue of this field.
    void reject(std::string_view name, std::string message);
    std::string path_of(std::string_view name) const { return prefix_ + std::string(name); }

private:
    const boost::json::object& object_;
    std::vector<Issue>& issues_;
    const std::string prefix_;
};

// JSON that a client sent, within bounds.

// An object; an empty one of an empty text. `invalid_argument` if it is none or is nested deeper than any
// request; `too_large` beyond 10 MB, or with more values than would fit into some times as much.
Result<boost::json::object> parse_json_object(std::string_view text);

}  // namespace quarry::api
