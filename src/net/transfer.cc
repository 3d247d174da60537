#include "net/transfer.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

#include "net/body_decoder.h"
#include "net/curl.h"
#include "net/http_message.h"
#include "net/wording.h"

namespace quarry::net {

namespace {

HeaderList header_list_of(const std::vector<Header>& headers) {
    curl_slist* list = nullptr;
    for (const Header& header : headers) {
        // To curl, "Name:" means that the header is not to be sent; "Name;" sends it empty.
        const bool is_empty = trimmed(header.value).empty();
        list = curl_slist_append(list, (header.name + (is_empty ? ";" : ": " + header.value)).c_str());
    }
    list = curl_slist_append(list, ("Accept-Encoding: " + std::string(accepted_encodings)).c_str());
    list = curl_slist_append(
        list, "Expect:");  // Waiting for "100 Continue" costs a second with servers that never send it.
    return HeaderList(list);
}

bool are_same(const std::vector<Header>& a, const std::vector<Header>& b) {
    return std::ranges::equal(a, b, [](const Header& left, const Header& right) {
        return left.name == right.name && left.value == right.value;
    });
}

}  // namespace

TransferHandle::TransferHandle(const HttpConfig& config, CurlMulti& multi)
    : config_(config), multi_(multi), list_(header_list_of({})), easy_(curl_easy_init()) {
    set_common_options();
}

Result<void> TransferHandle::set_headers(const std::vector<Header>& headers) {
    if (are_same(headers, headers_)) return {};
    TRY(check_request_headers(headers));
    HeaderList list = header_list_of(headers);
    curl_easy_setopt(curl(), CURLOPT_HTTPHEADER, list.get());
    list_ = std::move(list);
    headers_ = headers;
    return {};
}

void TransferHandle::reset() {
    curl_easy_reset(curl());
    set_common_options();
}

// curl keeps what it has read of a file of certificates for all connections, but only if there is no folder
// of them as well. Reading the system's for each new connection costs 27 ms, forty times all the rest of it.
void TransferHandle::trust_certificates() {
    const char* file = nullptr;
    curl_easy_getinfo(curl(), CURLINFO_CAINFO, &file);
    if (!config_.ca_file.empty()) file = config_.ca_file.c_str();
    if (!file) return;
    curl_easy_setopt(curl(), CURLOPT_CAINFO, file);
    curl_easy_setopt(curl(), CURLOPT_CAPATH, nullptr);
}

void TransferHandle::set_common_options() {
    multi_.attach(curl());
    curl_easy_setopt(curl(), CURLOPT_HTTPHEADER, list_.get());
    curl_easy_setopt(curl(), CURLOPT_ERRORBUFFER, detail_.data());
    curl_easy_setopt(curl(), CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl(), CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl(), CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl(), CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(curl(), CURLOPT_NETRC, CURL_NETRC_IGNORED);
    curl_easy_setopt(curl(), CURLOPT_USERAGENT, config_.user_agent.c_str());
    curl_easy_setopt(curl(), CURLOPT_NOSIGNAL, 1L);
    // An empty proxy also keeps curl from reading http_proxy and its like from the environment.
    curl_easy_setopt(curl(), CURLOPT_PROXY, config_.proxy.c_str());
    curl_easy_setopt(curl(), CURLOPT_NOPROXY, "");
    curl_easy_setopt(curl(), CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    trust_certificates();
    // Without this, giving up on a lookup waits for the resolver's own timeout, and every other transfer with
    // it.
    curl_easy_setopt(curl(), CURLOPT_QUICK_EXIT, 1L);
}

namespace {

std::string detail_or(const TransferFacts& facts, std::string_view otherwise) {
    return facts.detail.empty() ? std::string(otherwise) : facts.detail;
}

std::string cannot_connect(const TransferFacts& facts) {
    const std::string& peer = facts.address.empty() ? facts.host : facts.address;
    switch (facts.system_error) {
        case ECONNREFUSED: return fmt::format("connection refused by {} port {}", peer, facts.port);
        case EHOSTUNREACH:
        case ENETUNREACH: return fmt::format("no route to {} port {}", peer, facts.port);
        case 0: return fmt::format("could not connect to {} port {}", peer, facts.port);
        default:
            return fmt::format("could not connect to {} port {}: {}", peer, facts.port,
                               std::generic_category().message(static_cast<int>(facts.system_error)));
    }
}

std::string timed_out(const TransferFacts& facts) {
    const HttpLimits& limits = facts.limits;
    const auto connecting = std::min(limits.connect_timeout, limits.timeout);
    if (facts.has_answer) return fmt::format("timed out after {}", in_words(limits.timeout));
    if (facts.is_connected) return fmt::format("server did not answer within {}", in_words(limits.timeout));
    if (facts.address.empty())
        return fmt::format("could not resolve host {} within {}", facts.host, in_words(connecting));
    return fmt::format("could not connect to {} port {} within {}", facts.address, facts.port,
                       in_words(connecting));
}

// On a used connection these may be leftovers of an answer that was longer than promised; a new one is worth
// a try.
Error not_http(const TransferFacts& facts) {
    if (facts.is_reused)
        return {ErrorCode::unavailable,
                fmt::format("connection to {} broke: the server sent more than it had promised", facts.host)};
    return {ErrorCode::corrupt, fmt::format("the answer of {} is not HTTP", facts.host)};
}

bool is_tls_failure(CURLcode code) {
    switch (code) {
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_CRL_BADFILE:
        case CURLE_SSL_INVALIDCERTSTATUS:
        case CURLE_SSL_SHUTDOWN_FAILED: return true;
        default: return false;
    }
}

}  // namespace

Error describe_failure(CURLcode code, const TransferFacts& facts) {
    const auto detail = [&] { return detail_or(facts, curl_easy_strerror(code)); };
    if (is_tls_failure(code))
        return {ErrorCode::unavailable,
                fmt::format("TLS handshake with {} failed: {}", facts.host, detail())};
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return {ErrorCode::not_found, fmt::format("could not resolve host {}", facts.host)};
        case CURLE_COULDNT_RESOLVE_PROXY:
            return {ErrorCode::unavailable, "could not resolve the proxy's host"};
        case CURLE_COULDNT_CONNECT: return {ErrorCode::unavailable, cannot_connect(facts)};
        case CURLE_OPERATION_TIMEDOUT: return {ErrorCode::timeout, timed_out(facts)};
        case CURLE_PARTIAL_FILE: return {ErrorCode::unavailable, "server sent fewer bytes than it promised"};
        case CURLE_GOT_NOTHING:
            return {ErrorCode::unavailable, "server closed the connection without an answer"};
        case CURLE_PEER_FAILED_VERIFICATION:
            return {ErrorCode::refused,
                    fmt::format("certificate of {} is not trusted: {}", facts.host, detail())};
        case CURLE_SSL_CACERT_BADFILE:
            return {ErrorCode::invalid_argument, fmt::format("cannot read the CA file: {}", detail())};
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY: return not_http(facts);
        case CURLE_OUT_OF_MEMORY:  // curl says so when a single header line passes 100 KB
            return {ErrorCode::too_large,
                    fmt::format("a header of the answer of {} is too long", facts.host)};
        case CURLE_BAD_CONTENT_ENCODING:
            return {ErrorCode::corrupt, fmt::format("the answer is not compressed as it says: {}", detail())};
        default:
            return {ErrorCode::unavailable, fmt::format("connection to {} broke: {}", facts.host, detail())};
    }
}

namespace {

// A declined body up to this size is read and dropped, so that the connection can be used again.
constexpr std::uint64_t most_skipped_bytes = std::uint64_t{64} * 1024;

// What a server says about the size of its body is believed up to this.
constexpr std::uint64_t most_reserved_bytes = std::uint64_t{1} << 20;

// Answers have a dozen headers or so.
constexpr std::size_t usual_headers = 16;

const char* method_name(HttpMethod method) {
    switch (method) {
        case HttpMethod::get: return "GET";
        case HttpMethod::head: return "HEAD";
        case HttpMethod::post: return "POST";
        case HttpMethod::put: return "PUT";
        case HttpMethod::patch: return "PATCH";
        case HttpMethod::delete_: return "DELETE";
    }
    return "GET";
}

}  // namespace

struct Transfer::Callbacks {
    static curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* address) {
        return static_cast<Transfer*>(self)->open_socket(*address);
    }
    static int before_request(void* self, char* peer, char*, int, int) {
        const bool may_send = static_cast<Transfer*>(self)->may_send_to(peer);
        return may_send ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
    }
    static std::size_t header(char* data, std::size_t, std::size_t size, void* self) {
        return static_cast<Transfer*>(self)->take_header_line({data, size}) ? size : 0;
    }
    static std::size_t body(char* data, std::size_t, std::size_t size, void* self) {
        auto* transfer = static_cast<Transfer*>(self);
        if (transfer->must_pause()) return CURL_WRITEFUNC_PAUSE;
        return transfer->take_body({data, size}) ? size : 0;
    }
};

Transfer::Transfer(HttpRequest request, HttpCallback callback)
    : request_(std::move(request)), callback_(std::move(callback)) {}

void Transfer::watch_stop(std::function<void()> wake) {
    stop_watch_.emplace(request_.stop, std::move(wake));
}

void Transfer::watch_lookup(std::move_only_function<void(bool)> done) {
    lookup_watch_ = std::move(done);
}

void Transfer::end_lookup(bool has_address) {
    if (auto done = std::exchange(lookup_watch_, nullptr)) done(has_address);
}

Result<void> Transfer::prepare(std::unique_ptr<TransferHandle> handle, const Surroundings& surroundings) {
    handle_ = std::move(handle);
    surroundings_.emplace(surroundings);
    TRY(check_target());
    TRY(handle_->set_headers(request_.headers));
    url_ = TRY(to_curl_url(request_.url));
    set_request_options();
    set_limits_and_callbacks();
    return {};
}

// A proxy looks names up where we cannot see the answer; the names that always mean this machine are known
// anyway.
Result<void> Transfer::check_target() const {
    std::string_view host = request_.url.host();
    TRY(request_.policy.check_host(host));
    if (host.ends_with('.')) host.remove_suffix(1);
    const bool is_this_machine = host == "localhost" || host.ends_with(".localhost");
    if (surroundings_->is_proxied && is_this_machine && !request_.policy.allow_private)
        return fail(ErrorCode::refused,
                    fmt::format("refused: {} is a loopback name (allow it with --allow-private)", host));
    return {};
}

void Transfer::set_request_options() {
    CURL* curl = handle_->curl();
    curl_easy_setopt(curl, CURLOPT_CURLU, url_.get());
    if (request_.method == HttpMethod::head) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    } else if (request_.method != HttpMethod::get) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request_.body.c_str());
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method_name(request_.method));
    }
}

void Transfer::set_limits_and_callbacks() {
    CURL* curl = handle_->curl();
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.limits.timeout.count()));
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(request_.limits.connect_timeout.count()));
    // curl searches its whole cache for old answers at the end of every transfer that has a limit on their
    // age. A known name is young enough, so only those who look up need that.
    const long cache_seconds = name_state_ == NameState::known ? -1 : dns_cache_time.count();
    curl_easy_setopt(curl, CURLOPT_DNS_CACHE_TIMEOUT, cache_seconds);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &Callbacks::open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &Callbacks::before_request);
    curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Callbacks::header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Callbacks::body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
}

curl_socket_t Transfer::open_socket(const curl_sockaddr& target) {
    end_lookup(true);
    const auto address = Address::from_sockaddr(&target.addr);
    if (!address) return CURL_SOCKET_BAD;
    if (!surroundings_->is_proxied) {
        if (auto verdict = request_.policy.check(*address); !verdict) {
            refusal_ = std::move(verdict).error();
            return CURL_SOCKET_BAD;
        }
    }
    if (!surroundings_->is_proxied && !surroundings_->addresses.has_room(*address)) {
        crowded_address_ = address;
        return CURL_SOCKET_BAD;
    }
    tried_address_ = address->text();
    enter(*address);
    const int opened = socket(target.family, target.socktype | SOCK_CLOEXEC, target.protocol);
    if (opened >= 0) handle_->multi().adopt(opened);
    return opened;
}

// Comes before every request, also on a connection that another request with another policy has opened.
bool Transfer::may_send_to(const char* peer) {
    end_lookup(true);  // A connection that is open already needs none.
    is_connected_ = true;
    if (surroundings_->is_proxied) return true;
    const auto address = Address::parse(peer);
    if (!address)
        return stop_with({ErrorCode::refused, fmt::format("refused: \"{}\" is not an address", peer)});
    if (auto verdict = request_.policy.check(*address); !verdict)
        return stop_with(std::move(verdict).error());
    enter(*address);
    response_.address = address->text();
    return true;
}

// Through a proxy all transfers go to its address, and nobody is crowded but the proxy.
void Transfer::enter(const Address& address) {
    if (surroundings_->is_proxied || entered_address_ == address) return;
    leave_address();
    surroundings_->addresses.enter(address);
    entered_address_ = address;
}

void Transfer::leave_address() {
    if (const auto address = std::exchange(entered_address_, std::nullopt))
        surroundings_->addresses.leave(*address);
}

std::optional<Address> Transfer::crowded_address(CURLcode code) const {
    return code == CURLE_COULDNT_CONNECT ? crowded_address_ : std::nullopt;
}

std::unique_ptr<TransferHandle> Transfer::give_up_for_now() {
    leave_address();
    crowded_address_.reset();
    refusal_.reset();
    tried_address_.clear();
    return give_back_handle();
}

std::unique_ptr<TransferHandle> Transfer::give_back_handle() {
    if (handle_ && request_.method != HttpMethod::get) handle_->reset();
    return std::move(handle_);
}

bool Transfer::take_header_line(std::string_view line) {
    window_bytes_ += line.size();
    header_bytes_ += line.size();
    if (header_bytes_ > request_.limits.header_bytes)
        return stop_with({ErrorCode::too_large, fmt::format("headers of the answer are larger than {}",
                                                            bytes_in_words(request_.limits.header_bytes))});
    if (!window_start_) window_start_ = Clock::now();

    if (line.starts_with("HTTP/") && !has_body_begun_) {  // A new answer, after "100 Continue" for instance.
        response_.headers.clear();
        response_.headers.reserve(usual_headers);
        are_headers_complete_ = false;
    } else if (trimmed(line).empty()) {
        are_headers_complete_ = true;
    } else if (are_headers_complete_) {
        return true;  // a trailer
    } else if ((line.front() == ' ' || line.front() == '\t') && !response_.headers.empty()) {
        response_.headers.back().value += ' ';
        response_.headers.back().value += trimmed(line);
    } else if (const auto colon = line.find(':'); colon != line.npos) {
        response_.headers.push_back(
            {std::string(trimmed(line.substr(0, colon))), std::string(trimmed(line.substr(colon + 1)))});
    }
    return true;
}

Result<void> Transfer::begin_body() {
    has_body_begun_ = true;
    long status = 0;
    curl_easy_getinfo(handle_->curl(), CURLINFO_RESPONSE_CODE, &status);
    if (request_.wants_body && !request_.wants_body(static_cast<int>(status), response_.headers)) {
        response_.is_body_skipped = true;
        return {};
    }
    const std::uint64_t limit = request_.limits.body_bytes;
    curl_off_t declared = -1;
    curl_easy_getinfo(handle_->curl(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &declared);
    const bool is_too_large = declared > 0 && static_cast<std::uint64_t>(declared) > limit;
    if (is_too_large && request_.limits.when_too_large == WhenTooLarge::fail)
        return fail(ErrorCode::too_large, fmt::format("answer is larger than {}", bytes_in_words(limit)));
    const std::string_view encoding = header_value(response_.headers, "Content-Encoding");
    decoder_ = TRY(BodyDecoder::open(encoding, limit));
    if (encoding.empty() && declared > 0)
        response_.body.reserve(std::min({static_cast<std::uint64_t>(declared), limit, most_reserved_bytes}));
    return {};
}

bool Transfer::take_body(std::string_view bytes) {
    window_bytes_ += bytes.size();
    if (!has_body_begun_)
        if (auto begun = begin_body(); !begun) return stop_with(std::move(begun).error());
    if (response_.is_body_skipped) {
        skipped_bytes_ += bytes.size();
        return skipped_bytes_ <= most_skipped_bytes;
    }
    auto fed = decoder_->feed(bytes, response_.body);
    surroundings_->budget.add(response_.body.size() - budgeted_bytes_);
    budgeted_bytes_ = response_.body.size();
    if (fed) return true;
    response_.is_truncated =
        fed.error().code == ErrorCode::too_large && request_.limits.when_too_large == WhenTooLarge::truncate;
    return response_.is_truncated ? false : stop_with(std::move(fed).error());
}

// Waiting for others costs the request none of its time. curl's timer may go off meanwhile and be gone; what
// then comes too slowly after the pause is ended by check_speed().
bool Transfer::must_pause() {
    if (response_.is_body_skipped || surroundings_->budget.may_grow(*this)) return false;
    paused_at_ = Clock::now();
    curl_easy_setopt(handle_->curl(), CURLOPT_TIMEOUT_MS, 0L);
    return true;
}

CURLcode Transfer::resume(Clock::time_point now) {
    paused_time_ += std::chrono::ceil<std::chrono::milliseconds>(now - *paused_at_);
    paused_at_.reset();
    window_start_ = now;
    window_bytes_ = 0;
    const auto timeout = request_.limits.timeout + paused_time_;
    curl_easy_setopt(handle_->curl(), CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    return curl_easy_pause(handle_->curl(), CURLPAUSE_CONT);
}

bool Transfer::stop_with(Error error) {
    failure_ = std::move(error);
    return false;
}

Result<void> Transfer::check_speed(Clock::time_point now) {
    const HttpLimits& limits = request_.limits;
    if (paused_at_ || !window_start_ || now - *window_start_ < limits.low_speed_time) return {};
    const auto seconds = std::chrono::duration<double>(limits.low_speed_time).count();
    if (static_cast<double>(window_bytes_) < static_cast<double>(limits.low_speed_bytes_per_second) * seconds)
        return fail(ErrorCode::timeout,
                    fmt::format("server drips: less than {} bytes per second for {}",
                                limits.low_speed_bytes_per_second, in_words(limits.low_speed_time)));
    window_start_ = now;
    window_bytes_ = 0;
    return {};
}

Error Transfer::describe(CURLcode code) {
    // Only refused addresses: say so. If another one was tried as well, its failure is the better answer.
    if (code == CURLE_COULDNT_CONNECT && refusal_ && tried_address_.empty()) return *std::move(refusal_);
    TransferFacts facts{
        .host = std::string(request_.url.host()),
        .port = request_.url.effective_port(),
        .address = tried_address_,
        .is_connected = is_connected_,
        .has_answer = window_start_.has_value(),
        .detail = handle_->detail(),
        .limits = request_.limits,
    };
    long new_connections = 0;
    curl_easy_getinfo(handle_->curl(), CURLINFO_NUM_CONNECTS, &new_connections);
    curl_easy_getinfo(handle_->curl(), CURLINFO_OS_ERRNO, &facts.system_error);
    facts.is_reused = is_connected_ && new_connections == 0;
    return describe_failure(code, facts);
}

Result<HttpResponse> Transfer::conclude(CURLcode code) {
    if (failure_) return std::unexpected(*std::move(failure_));
    // Whatever happened to the part of a body that nobody wanted is no failure.
    const bool is_enough = response_.is_body_skipped || response_.is_truncated;
    if (code != CURLE_OK && !is_enough) return std::unexpected(describe(code));
    if (decoder_ && !is_enough) TRY(decoder_->finish());

    long status = 0;
    long version = 0;
    curl_easy_getinfo(handle_->curl(), CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(handle_->curl(), CURLINFO_HTTP_VERSION, &version);
    response_.status = static_cast<int>(status);
    response_.http_version = version == CURL_HTTP_VERSION_2_0   ? 20
                             : version == CURL_HTTP_VERSION_1_0 ? 10
                                                                : 11;
    return std::move(response_);
}

std::unique_ptr<TransferHandle> Transfer::finish(CURLcode code) {
    auto result = conclude(code);
    return deliver(std::move(result));
}

std::unique_ptr<TransferHandle> Transfer::finish_with(Error error) {
    return deliver(std::unexpected(std::move(error)));
}

std::unique_ptr<TransferHandle> Transfer::deliver(Result<HttpResponse> result) {
    end_lookup(false);
    leave_address();
    if (surroundings_) surroundings_->budget.release(*this, budgeted_bytes_);
    stop_watch_.reset();
    callback_(std::move(result));
    return give_back_handle();
}

}  // namespace quarry::net
