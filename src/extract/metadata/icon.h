// The little picture that stands for a site.
#pragma once

#include <string>

#include "extract/metadata/page_facts.h"
#include "url/url.h"

namespace quarry::extract {

// The address of the best icon the page links: one that scales, else the largest, the earlier one when equal.
// Without any, /favicon.ico of the site, where browsers look; "" without a base.
std::string favicon(const PageFacts& facts, const url::Url* base);

}  // namespace quarry::extract
