// What can be asked of a store by name, over the owner's socket or in the process that owns it.
//
//   crawl         a crawl's options              -> {"group": number}
//   schedule      {name, cron, options}          -> {}
//   unschedule    {name}                         -> {"removed": bool}
//   cancel, pause, resume   {group}              -> {}
//   reprioritise  {group, priority}              -> {}
//   cancel_jobs, pause_jobs, resume_jobs, retry_jobs, clear_jobs   a filter -> {"count": number}
//   backup        {file}                         -> {}
//   forget        {collection, urls, host, path_prefix, site}   -> {"count": number of pages}
//   index_again   {collection, group}            -> {"count": number of pages}; of all if neither is given
//   set_collection     {name, provider, model, dimensions, version} -> {}
//   remove_collection  {name}                    -> {"removed": bool}
//   write_pages   {collection, site, priority, index, pages}    -> {added, changed, unchanged}
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

// Documents that no crawl brought, imported or watched, as pages of the store.

// {"collection", "site", "priority", "index", "pages": [{"url", "id", "title", "markdown", "language", …}]}
// ->
// {"added", "changed", "unchanged"}. A page is what work::to_json makes of an ImportDocument; very long words
// come in a file instead ("markdown_file"), which stays the sender's. One with a "status" was fetched, and is
// the page that a crawl knows by that URL. The priority is one of the embedding queue: high, normal or low,
// or 1, 2 or
// 3. Doing it again is harmless. `invalid_argument` for anything else, and for a parameter that does not
// exist.
Result<boost::json::value> write_pages(store::Store& store, const boost::json::object& params);

// What can be asked of a store by name, over the owner's socket or in the process that owns it.
//
//   crawl         a crawl's options              -> {"group": number}
//   schedule      {name, cron, options}          -> {}
//   unschedule    {name}                         -> {"removed": bool}
//   cancel, pause, resume   {group}              -> {}
//   reprioritise  {group, priority}              -> {}
//   cancel_jobs, pause_jobs, resume_jobs, retry_jobs, clear_jobs   a filter -> {"count": number}
//   backup        {file}                         -> {}
//   forget        {collection, urls, host, path_prefix, site}   -> {"count": number of pages}
//   index_again   {collection, group}            -> {"count": number of pages}; of all if neither is given
//   embed         {group}                        -> {}; what is not in the index yet, now: also what failed
//   set_collection     {name, provider, model, dimensions, version} -> {}
//   remove_collection  {name}                    -> {"removed": bool}
//   write_pages   {collection, site, priority, index, pages}    -> {added, changed, unchanged}: write_pages.h

// `unsupported` if there is no such method.
Result<boost::json::value> perform(store::Store& store, const std::string& method,
                                   const boost::json::object& params);

}  // namespace quarry::app
