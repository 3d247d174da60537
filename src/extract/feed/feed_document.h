// Feeds as documents.
#pragma once

#include "base/result.h"
#include "extract/extract.h"
#include "model/document.h"
#include "model/page.h"

namespace quarry::extract {

Result<Document> feed_document(const Page& page, const ExtractOptions& options);

}  // namespace quarry::extract
