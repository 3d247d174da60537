// Stored pages as they are in quarry.db.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

// The pages of a group have the URL, status and time of its own visit, and its own words. Title, language and
// the like are those of the page today: a list does not open the words. They are empty if the page is gone;
// the details, read with the content, still have them.
Result<StoredPages> read_pages(db::Connection& connection, const PagePage& page);

// As Reader::media.
Result<std::string> read_media(db::Connection& connection, ContentId version);

// As Reader::stored_bytes.
Result<std::int64_t> read_stored_bytes(db::Connection& connection,
                                       const std::vector<std::string>& collections);

// As Reader::page_versions.
Result<std::vector<StoredPage>> read_page_versions(db::Connection& connection,
                                                   std::span<const ContentId> versions);

Result<std::optional<StoredPage>> read_page(db::Connection& connection, std::string_view collection,
                                            const UrlKey& key);

}  // namespace quarry::store
