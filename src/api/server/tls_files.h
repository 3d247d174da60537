// A certificate and its key, in files that are replaced while the server runs.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"

namespace quarry::api {

// Of one thread.
class TlsFiles {
public:
    using Context = std::shared_ptr<boost::asio::ssl::context>;
    using Log = std::function<void(std::string_view)>;

    // PEM; the certificate with those that lead to its root. `invalid_argument` if they cannot be used.
    static Result<TlsFiles> open(const std::string& certificate, const std::string& key, Log log);

    // For a new connection: TLS 1.2 or 1.3. The files are looked at once a second; if what is there now
    // cannot be used, the log says so, and what was there before goes on.
    Context current();

private:
    using FileTime = std::filesystem::file_time_type;
    struct Times {
        FileTime certificate{}, key{};
        bool operator==(const Times&) const = default;
    };
    TlsFiles(std::string certificate, std::string key, Log log)
        : certificate_(std::move(certificate)), key_(std::move(key)), log_(std::move(log)) {}
    Result<Context> read() const;
    Times times() const;

    std::string certificate_, key_;
    Log log_;
    Context context_;
    Times times_;
    std::chrono::steady_clock::time_point looked_at_{};
};

}  // namespace quarry::api
