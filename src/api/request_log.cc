#include "api/api_request_log.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/printable.h"
#include "base/thread_name.h"
#include "crawl/options/request_context.h"

namespace quarry::api {
namespace {

// Records between two writings, and the time between them: a thousand a second at most.
constexpr std::size_t most_waiting = 200;
constexpr std::chrono::milliseconds between_writings{200};
// A path is a client's to make up.
constexpr std::size_t longest_path = 300;

// " trace=0af7651916cd43dd8448eb211c80319c" if the request belongs to one.
std::string trace_in(const std::string& extra) {
    boost::json::error_code error;
    const boost::json::value said = boost::json::parse(extra, error);
    const boost::json::object* object = error ? nullptr : said.if_object();
    const boost::json::value* parent = object ? object->if_contains("traceparent") : nullptr;
    if (!parent || !parent->is_string()) return {};
    return fmt::format(" trace={}", crawl::trace_id_of(std::string_view(parent->get_string())));
}

}  // namespace

RequestLog::RequestLog(Keep keep, WriteLine write_line)
    : keep_(std::move(keep)),
      write_line_(std::move(write_line)),
      writer_([this](std::stop_token stop) { write(stop); }) {}

RequestLog::~RequestLog() {
    writer_.request_stop();
    has_more_.notify_all();
}

void RequestLog::add(RequestRecord record, std::size_t bytes) {
    // And so are its bytes: records are JSON later, and one that was none would spoil the list.
    record.path = as_utf8(std::string_view(record.path).substr(0, longest_path));
    record.user_agent = as_utf8(std::string_view(record.user_agent).substr(0, longest_path));
    if (write_line_)
        write_line_(fmt::format(
            "api: request id={} peer={} owner={} method={} path={} status={} bytes={} ms={:.1f}{}",
            record.request_id, record.peer, record.owner, record.method, record.path, record.status, bytes,
            static_cast<double>(record.took.count()) / 1'000, trace_in(record.extra)));
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        Count& count = counts_[{record.route, record.status}];
        ++count.requests;
        count.took += record.took;
        if (waiting_.size() >= most_waiting) {
            ++not_kept_;
            return;
        }
        is_first = waiting_.empty();
        waiting_.push_back(std::move(record));
    }
    if (is_first) has_more_.notify_one();
}

RequestLog::Counts RequestLog::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

std::int64_t RequestLog::not_kept() const {
    const std::lock_guard lock(mutex_);
    return not_kept_;
}

void RequestLog::write(std::stop_token stop) {
    name_this_thread("requests");
    std::unique_lock lock(mutex_);
    while (true) {
        has_more_.wait(lock, stop, [this] { return !waiting_.empty(); });
        // Others come with it into the same commit.
        has_more_.wait_for(lock, stop, between_writings, [] { return false; });
        if (waiting_.empty()) return;  // asked to stop
        const std::vector<RequestRecord> records = std::exchange(waiting_, {});
        lock.unlock();
        const bool is_kept = keep_in_peace(records);
        lock.lock();
        if (!is_kept) not_kept_ += std::ssize(records);
    }
}

// Without the memory for it these are not kept, and the next ones are.
bool RequestLog::keep_in_peace(std::span<const RequestRecord> records) const {
    try {
        return keep_(records).has_value();
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace quarry::api
