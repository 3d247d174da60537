#include "api/request_log.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/printable.h"
#include "base/threads.h"
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

namespace {

// {"traceparent": …} if its client has a trace.
std::string extra_of(const Request& request) {
    const std::string_view parent = request.header("traceparent");
    if (!crawl::is_trace_parent(parent)) return "{}";
    return boost::json::serialize(boost::json::object{{"traceparent", parent}});
}

}  // namespace

void ObservedExchange::respond(Response response) {
    add_headers(response.headers);
    tell(response.status, response.text().size());  // first: who has the answer finds it counted
    inner().respond(std::move(response));
}

std::shared_ptr<Follower> ObservedExchange::accept_websocket(std::string protocol) {
    tell(101, 0);
    auto follower = inner().accept_websocket(std::move(protocol));
    if (on_follower_) on_follower_(request(), follower);
    return follower;
}

std::shared_ptr<Follower> ObservedExchange::begin_events(std::vector<Header> headers) {
    add_headers(headers);
    tell(200, 0);
    auto follower = inner().begin_events(std::move(headers));
    if (on_follower_) on_follower_(request(), follower);
    return follower;
}

void ObservedExchange::add_headers(std::vector<Header>& headers) const {
    headers.push_back({.name = "X-Request-Id", .value = request_id_});
    headers.insert(headers.end(), headers_.begin(), headers_.end());
}

void ObservedExchange::tell(int status, std::size_t bytes) const {
    using std::chrono::steady_clock, std::chrono::system_clock;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - started_);
    const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(system_clock::now());
    log_.add({.at = now - std::chrono::duration_cast<std::chrono::milliseconds>(took),
              .method = std::string(name_of(request().method)),
              .path = request().path,
              .route = std::string(route_),
              .status = status,
              .took = took,
              .request_id = request_id_,
              .peer = peer_,
              .user_agent = std::string(request().header("user-agent")),
              .owner = owner_,
              .extra = extra_of(request())},
             bytes);
}

}  // namespace quarry::api
