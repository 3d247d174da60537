#include "cli/commands/keep_pages.h"

#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "crawl/options/options.h"
#include "crawl/url_identity.h"
#include "model/json/output.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;

// By the address that a crawl would know it by.
Result<work::ImportDocument> document_of(const work::ScrapeRecord& record) {
    const auto url = TRY(url::Url::parse(record.final_url));
    const Document& page = *record.document;
    return work::ImportDocument{.url = crawl::kept_url(url),
                                .title = page.metadata.title,
                                .markdown = page.markdown,
                                .language = page.metadata.language,
                                .content_type = record.content_type,
                                .status = record.status_code,
                                .body_bytes = static_cast<std::int64_t>(page.markdown.size()),
                                .metadata = to_json(page.metadata)};
}

}  // namespace

PageKeeper::PageKeeper(const CommandContext& session, app::DataSource place, const std::string& collection)
    : session_(session),
      place_(std::move(place)),
      collection_(collection),
      writer_(work::ImportTarget{.collection = collection, .folder = place_.folder.path}) {}

Result<std::unique_ptr<PageKeeper>> PageKeeper::open(const CommandContext& session,
                                                     const std::string& collection) {
    TRY(crawl::check_collection(collection));
    app::DataSource place = TRY(place_of(session));
    if (!place.remote) TRY(place.folder.create());
    return std::unique_ptr<PageKeeper>(new PageKeeper(session, std::move(place), collection));
}

void PageKeeper::take(const work::ScrapeRecord& record) {
    if (error_ || !record.success() || trimmed(record.document->markdown).empty()) return;
    if (const auto added = add(record); !added) error_ = added.error();
}

Result<void> PageKeeper::add(const work::ScrapeRecord& record) {
    const work::ImportDocument document = TRY(document_of(record));
    TRY(writer_.add(document));
    if (writer_.is_full()) TRY(send());
    return {};
}

Result<void> PageKeeper::send() {
    return writer_.send([this](json::object params) -> Result<json::value> {
        return TRY(app::ask(place_, "write_pages", std::move(params))).answer;
    });
}

int PageKeeper::finish() {
    if (!error_)
        if (const auto sent = send(); !sent) error_ = sent.error();
    const store::PagesWritten& written = writer_.written();
    const std::int64_t kept = written.added + written.changed + written.unchanged;
    if (kept > 0)
        say(fmt::format("Kept {} in the collection {}", counted(kept, "page"), printable(collection_)));
    if (error_) return give_up(session_, *error_);
    if (kept == 0) return exit_success;
    const auto counts = work_until_indexed(session_, place_, {.collection = collection_});
    return counts ? report_index(session_, *counts) : give_up(session_, counts.error());
}

}  // namespace quarry::cli
