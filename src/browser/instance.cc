#include "browser/instance.h"

#include <fmt/format.h>

namespace quarry::browser {
namespace {

constexpr std::chrono::seconds start_timeout{20};

// A browser without a screen says so, and some servers answer it with nothing. What it renders is the same.
std::string without_headless(std::string user_agent) {
    constexpr std::string_view word = "HeadlessChrome";
    if (const auto at = user_agent.find(word); at != std::string::npos)
        user_agent.replace(at, word.size(), "Chrome");
    return user_agent;
}

std::unexpected<Error> silent(const Error& error, const Chromium& process) {
    const std::string words = process.last_words();
    const bool is_sandbox = words.contains("sandbox");
    return fail(is_sandbox ? ErrorCode::refused : ErrorCode::unavailable,
                fmt::format("cannot start the browser: {}{}", error.message,
                            words.empty() ? "" : fmt::format(" ({})", words)));
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::start(const ChromiumConfig& config) {
    auto instance = std::unique_ptr<Instance>(new Instance);
    instance->process_ = TRY(Chromium::start(config));
    Chromium& process = *instance->process_;
    for (Chromium::Listener& listener : process.take_listeners()) {
        std::string proxy = fmt::format("http://127.0.0.1:{}", listener.port);
        instance->lanes_.push_back({instance->gate_.add(std::move(listener.socket)), std::move(proxy)});
    }
    instance->devtools_ = std::make_unique<DevTools>(process.take_input(), process.take_output());
    const auto version = instance->devtools_->call("Browser.getVersion", {}, "",
                                                   std::chrono::steady_clock::now() + start_timeout);
    if (!version) return silent(version.error(), process);
    instance->user_agent_ = without_headless(std::string(text_at(*version, "userAgent")));
    return instance;
}

}  // namespace quarry::browser
