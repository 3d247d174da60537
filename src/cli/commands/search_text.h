// Hits for people: a few lines each, what the query met in bold.
#pragma once

#include <string>

#include "cli/output/terminal.h"
#include "search/searcher.h"

namespace quarry::cli {

//  1  Installing quarry
//     https://docs.example.com/guide/install
//     Guide › Linux
//     …one static binary. To install it, copy it to a folder in your PATH…
//
// With neighbours asked for, each hit's best passage is shown whole instead.
std::string hits_text(const search::SearchAnswer& answer, const search::SearchRequest& request,
                      const Terminal& terminal);

}  // namespace quarry::cli
