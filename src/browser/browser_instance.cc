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
    instance->lanes_ = std::make_shared<Lanes>();
    for (Chromium::Listener& listener : process.take_listeners())
        instance->lanes_->add(std::move(listener.socket), "127.0.0.1", listener.port);
    instance->devtools_ = std::make_unique<DevTools>(pipe_wire(process.take_input(), process.take_output()));
    const auto version = instance->devtools_->call("Browser.getVersion", {}, "",
                                                   std::chrono::steady_clock::now() + start_timeout);
    if (!version) return silent(version.error(), process);
    instance->user_agent_ = without_headless(std::string(text_at(*version, "userAgent")));
    return instance;
}

Result<std::unique_ptr<Instance>> Instance::connect(const RemoteConfig& config,
                                                    std::shared_ptr<Lanes> lanes) {
    RemoteBrowser browser = TRY(connect_to_browser(config));
    auto instance = std::unique_ptr<Instance>(new Instance);
    instance->lanes_ = std::move(lanes);
    instance->address_ = browser.address;
    instance->user_agent_ = without_headless(std::move(browser.user_agent));
    instance->devtools_ = std::move(browser.devtools);
    return instance;
}

}  // namespace quarry::browser
