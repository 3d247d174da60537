// The options whose JSON is not simply a value: lists of formats, headers and attributes. Each can be read as
// clients write it, and what is written is read back exactly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "model/attributes.h"
#include "model/data_wish.h"
#include "model/formats.h"
#include "model/page.h"

namespace quarry::crawl {

// `"limit" must be a whole number, not "many"`.
std::unexpected<Error> wrong_kind(const boost::json::value& value, std::string_view name,
                                  std::string_view wanted);

// Takes the passwords out of all texts in it that are URLs, for showing.
void hide_url_secrets(boost::json::value& value);

Result<std::vector<std::string>> read_texts(const boost::json::value& value, std::string_view name);

// ["markdown", {"type": "links"}]: only what is named is wanted. An empty list wants nothing.
Result<Formats> read_formats(const boost::json::value& value);
boost::json::array write_formats(const Formats& formats);

// {"Accept-Language": "de"}. An object cannot say the same name twice; then, and only then, headers are
// written as [{"name": …, "value": …}], which is read as well.
Result<std::vector<Header>> read_headers(const boost::json::value& value);
boost::json::value write_headers(const std::vector<Header>& headers);

// [{"selector": "a", "attribute": "href"}]
Result<std::vector<AttributeWish>> read_attributes(const boost::json::value& value);
boost::json::array write_attributes(const std::vector<AttributeWish>& attributes);

// {"json": {"schema": …, "prompt": …}, "summary": true, "question": …, "highlights": …}
Result<DataWish> read_data(const boost::json::value& value);
boost::json::object write_data(const DataWish& data);

}  // namespace quarry::crawl
