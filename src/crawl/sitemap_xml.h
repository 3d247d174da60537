// Sitemaps, indexes and feeds in XML.
#pragma once

#include <string_view>

#include "base/result.h"
#include "crawl/sitemap.h"

namespace quarry::crawl {

// Reads the document by the name of its root element. Fails as parse_sitemap does.
Result<Sitemap> parse_xml_sitemap(std::string_view bytes, const url::Url& base);

}  // namespace quarry::crawl
