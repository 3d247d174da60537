#include <array>
#include <string_view>

#include <boost/json.hpp>

#include "model/json/output.h"
#include "text/diff.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

bool is_gone(int status) {
    return status == 404 || status == 410;
}

// As git's diffs are given by those who parse them: each line with its numbers.
json::object chunk_of(const text::DiffHunk& hunk) {
    json::array changes;
    std::size_t old_line = hunk.old_start, new_line = hunk.new_start;
    for (const text::DiffLine& line : hunk.lines) {
        const std::string content(line.text);
        switch (line.change) {
            case text::LineChange::same:
                changes.push_back({{"type", "normal"},
                                   {"normal", true},
                                   {"ln1", old_line++},
                                   {"ln2", new_line++},
                                   {"content", " " + content}});
                break;
            case text::LineChange::removed:
                changes.push_back(
                    {{"type", "del"}, {"del", true}, {"ln", old_line++}, {"content", "-" + content}});
                break;
            case text::LineChange::added:
                changes.push_back(
                    {{"type", "add"}, {"add", true}, {"ln", new_line++}, {"content", "+" + content}});
                break;
        }
    }
    return {{"content", text::header_of(hunk)}, {"oldStart", hunk.old_start},
            {"oldLines", hunk.old_count},       {"newStart", hunk.new_start},
            {"newLines", hunk.new_count},       {"changes", std::move(changes)}};
}

json::object diff_of(std::string_view before, std::string_view after) {
    const auto hunks = text::diff_lines(before, after);
    json::array chunks;
    std::int64_t additions = 0, deletions = 0;
    for (const text::DiffHunk& hunk : hunks) {
        chunks.push_back(chunk_of(hunk));
        for (const text::DiffLine& line : hunk.lines) {
            additions += line.change == text::LineChange::added;
            deletions += line.change == text::LineChange::removed;
        }
    }
    json::object file{{"from", nullptr},
                      {"to", nullptr},
                      {"additions", additions},
                      {"deletions", deletions},
                      {"chunks", std::move(chunks)}};
    return {{"text", text::unified(hunks)}, {"json", json::object{{"files", json::array{std::move(file)}}}}};
}

// Nothing if there is none to compare with.
Result<std::optional<StoredPage>> former_version(const FetchedUrl& fetched, store::Reader& reader) {
    if (!fetched.lease.former) return std::nullopt;
    const std::array versions{fetched.lease.former->content};
    auto pages = TRY(reader.page_versions(versions));
    if (pages.empty() || !pages.front().content || is_gone(pages.front().facts.status)) return std::nullopt;
    return std::move(pages.front());
}

std::string_view status_of(const FetchedUrl& fetched, const Document& document,
                           const std::optional<StoredPage>& former) {
    if (!former) return "new";
    if (is_gone(fetched.page->status)) return "removed";
    return former->content->markdown == document.markdown ? "same" : "changed";
}

}  // namespace

Result<json::object> change_of(const FetchedUrl& fetched, const Document& document, store::Reader& reader) {
    const auto former = TRY(former_version(fetched, reader));
    const std::string_view status = status_of(fetched, document, former);
    const bool is_hidden = fetched.lease.source == UrlSource::former;
    json::object change{
        {"previousScrapeAt", former ? json::value(iso_time(former->facts.fetched_at)) : json::value(nullptr)},
        {"changeStatus", status},
        {"visibility", is_hidden ? "hidden" : "visible"}};
    if (fetched.crawl->options.show_changes && status == "changed")
        change["diff"] = diff_of(former->content->markdown, document.markdown);
    return change;
}

}  // namespace quarry::work
