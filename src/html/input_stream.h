// The standard's "preprocessing the input stream", done once for the whole page so that nothing after it
// needs to think about encodings or line endings.
#pragma once

#include <string>

namespace quarry::html {

// Makes `source` valid UTF-8 (each invalid sequence becomes one U+FFFD, as decoders of the WHATWG do) and its
// line ends line feeds.
void normalise_source(std::string& source);

}  // namespace quarry::html
