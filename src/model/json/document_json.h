// Documents as JSON, in the field names of Firecrawl's v2 protocol, which clients already know. The command
// line prints the same, so that what was learnt from one can be used with the other.
#pragma once

#include <boost/json/fwd.hpp>

#include "model/document.h"
#include "model/formats.h"

namespace quarry {

// The fields that were asked for, `warning` if there is one, and `metadata` last. Images and links are plain
// URLs.
boost::json::object to_json(const Document& document, const Formats& formats);

// The metadata alone: title, description, language, ogTitle, dcCreator, publishedTime, favicon, … and every
// other named meta tag under its own name. Nothing a page says can replace a field that quarry states itself.
boost::json::object to_json(const Metadata& metadata);

}  // namespace quarry
