// From a page, however it came here, to a document. Everything but PDF is read by extract/; PDF is read by a
// child process, which extract/, being pure, cannot start.
#pragma once

#include <string_view>

#include "base/result.h"
#include "extract/extract.h"
#include "fetch/pdf/pdf.h"
#include "model/document.h"
#include "model/page.h"

namespace quarry::work {

// Fails as extract::extract and fetch::read_pdf do.
Result<Document> read_document(const Page& page, const extract::ExtractOptions& options = {},
                               const fetch::PdfLimits& pdf_limits = {});

// Whether an answer of this type is worth its body: a video costs no more than its headers. Vaguer types are
// let through, since servers call anything octet-stream.
bool may_hold_text(std::string_view content_type);

}  // namespace quarry::work
