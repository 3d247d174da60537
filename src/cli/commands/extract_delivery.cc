#include "cli/commands/extract_delivery.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chat/learn_rules.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/output/files.h"
#include "cli/output/progress.h"
#include "model/json/readable.h"
#include "url/page_address.h"

namespace quarry::cli {
namespace {

namespace json = boost::json;
using structured::Filled;

constexpr std::size_t pages_to_learn_from = 3;

class AnswerDelivery {
public:
    AnswerDelivery(const Session& session, ExtractPlan& plan, std::stop_source& stop)
        : session_(session),
          plan_(plan),
          stop_(stop),
          folder_(plan.output, ".json"),
          progress_(session.terminal, plan.pages > 1 ? plan.pages : 0) {}

    void take(const work::ScrapeRecord& record) {
        if (error_) return;
        if (plan_.learn_file.empty()) return answer(record);
        waiting_.push_back(record);
        if (waiting_.size() < std::min(pages_to_learn_from, plan_.pages)) return;
        release();
    }

    Result<int> finish() {
        if (!waiting_.empty() && !error_) release();
        progress_.clear();
        if (error_) return std::unexpected(*error_);
        if (plan_.pages > 1) say(fmt::format("{} succeeded, {} failed", succeeded_, failed_));
        if (was_interrupted()) return report_interruption(succeeded_, plan_.pages);
        if (unwritable_) return exit_error;
        return failed_ == 0 ? exit_yes : exit_no;
    }

private:
    // Learns from the pages that wait, and then answers for them.
    void release() {
        if (const auto learnt = learn(); !learnt) {
            error_ = learnt.error();
            stop_.request_stop();
            return;
        }
        for (const work::ScrapeRecord& record : waiting_) answer(record);
        waiting_.clear();
    }

    Result<void> learn() {
        std::vector<chat::PageText> pages;
        for (const work::ScrapeRecord& record : waiting_)
            if (record.success()) pages.push_back(text_of(record));
        if (pages.empty()) return fail(ErrorCode::not_found, "no page could be fetched to learn rules from");
        structured::Rules rules = TRY(chat::learn_rules(*plan_.model, pages, request(), stop_.get_token()));
        TRY(write_file(plan_.learn_file, readable_json(rules.to_json(), Layout::indented) + "\n"));
        say(fmt::format("rules learnt from {} page{} -> {}", pages.size(), pages.size() == 1 ? "" : "s",
                        plan_.learn_file));
        plan_.rules = std::move(rules);
        plan_.learn_file.clear();
        plan_.prompt.clear();
        plan_.model = nullptr;
        return {};
    }

    static std::string shown(const std::string& url) { return shorten(url::without_secrets(url), 100); }

    static std::string schema_error(const Filled& filled) {
        return "the data does not keep the schema: " + sentence_of(filled.problems);
    }

    chat::PageRequest request() const {
        return {.schema = plan_.schema ? &*plan_.schema : nullptr,
                .rules = plan_.rules ? &*plan_.rules : nullptr,
                .prompt = plan_.prompt};
    }

    static chat::PageText text_of(const work::ScrapeRecord& record) {
        return {.url = record.final_url,
                .html = record.document->raw_html,
                .markdown = record.document->markdown};
    }

    void answer(const work::ScrapeRecord& record) {
        Result<Filled> filled =
            record.success() ? chat::answer_page(text_of(record), request(), plan_.model, stop_.get_token())
                             : std::unexpected(*record.error);
        progress_.clear();
        if (!filled)
            say_error(session_.terminal, fmt::format("{}: {}", shown(record.url), filled.error().message));
        else if (!filled->problems.empty())
            say_error(session_.terminal, fmt::format("{}: {}", shown(record.url), schema_error(*filled)));
        const bool is_good = filled && filled->problems.empty();
        const bool is_kept = write(record, filled);
        (is_good && is_kept ? succeeded_ : failed_) += 1;
        progress_.show(succeeded_ + failed_, shown(record.url));
    }

    // False if it could not be written where it should go.
    bool write(const work::ScrapeRecord& record, const Result<Filled>& filled) {
        if (!filled && !(session_.json && plan_.output.empty())) return true;
        const std::string text = line_of(record, filled) + "\n";
        if (plan_.output.empty()) {
            if (!write_data(text)) stop_.request_stop();
            return true;
        }
        const auto url = url::Url::parse(record.final_url);
        const std::string path = names_folder(plan_.output) && url ? folder_.path_for(*url) : plan_.output;
        const auto written = write_file(path, text);
        if (written) return true;
        unwritable_ = true;
        say_error(session_.terminal, written.error().message);
        return false;
    }

    // The data alone, for one page; a line with the page's name for each of several; with --json, all there
    // is to know.
    std::string line_of(const work::ScrapeRecord& record, const Result<Filled>& filled) const {
        const bool is_alone = plan_.pages == 1 || !plan_.output.empty();
        if (!session_.json && is_alone) return readable_json(filled->data, Layout::indented);
        json::object line{{"url", url::without_secrets(record.url)}};
        if (session_.json) {
            line["success"] = filled && filled->problems.empty();
            line["error"] = nullptr;
            if (!filled) line["error"] = filled.error().message;
            if (filled && !filled->problems.empty()) line["error"] = schema_error(*filled);
        }
        if (filled) line["data"] = filled->data;
        if (filled && session_.json) {
            line["sources"] = filled->sources_json();
            line["problems"] = filled->problems_json();
        }
        return readable_json(line);
    }

    const Session& session_;
    ExtractPlan& plan_;
    std::stop_source& stop_;
    FolderOutput folder_;
    Progress progress_;
    std::vector<work::ScrapeRecord> waiting_;  // to be learnt from
    std::optional<Error> error_;               // nothing more can be done
    std::size_t succeeded_ = 0, failed_ = 0;
    bool unwritable_ = false;
};

}  // namespace

Result<int> run_extraction(const Session& session, ExtractPlan plan, const FetchPages& fetch) {
    std::stop_source stop;
    const std::stop_callback on_interrupt(stop_on_interrupt(), [&stop] { stop.request_stop(); });
    AnswerDelivery delivery(session, plan, stop);
    fetch(plan, [&](const work::ScrapeRecord& record) { delivery.take(record); }, stop.get_token());
    return delivery.finish();
}

}  // namespace quarry::cli
