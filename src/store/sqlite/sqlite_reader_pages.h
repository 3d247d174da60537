// Stored pages as they are in quarry.db.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

// The pages of a group have the URL, status and time of its own visit, and its own words. Title, language and
// the like are those of the page today: a list does not open the words. They are empty if the page is gone;
// the details, read with the content, still have them.
Result<StoredPages> read_pages(db::Connection& connection, const PagePage& page);

Result<std::optional<StoredPage>> read_page(db::Connection& connection, std::string_view collection,
                                            const UrlKey& key);

}  // namespace quarry::store
