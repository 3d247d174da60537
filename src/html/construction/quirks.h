// Which doctypes put a page into quirks mode. It matters to one thing here: whether a <table> ends a
// paragraph.
#pragma once

#include "html/tokenizer.h"
#include "html/tree.h"

namespace quarry::html {

Quirks quirks_of(const Doctype& doctype);

}  // namespace quarry::html
