#include "browser/chromium_command.h"

#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "net/header_text.h"

namespace quarry::browser {
namespace {

// The shell first: it is the part that renders pages, and nothing else. Measured, it starts in a third of the
// time and takes half the memory.
constexpr std::string_view names[] = {"chromium-headless-shell", "chrome-headless-shell", "chromium",
                                      "google-chrome"};

// Where Debian has it. What is on PATH there is a script that stays to wait for it: one process more, and one
// that hears of the keeper's end in its place.
constexpr const char* behind_script = "/usr/lib/chromium/chromium-headless-shell";

std::optional<std::string> on_path(std::string_view name) {
    const char* const path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!rest.empty()) {
        const std::string_view folder = net::take_until(rest, ':');
        if (folder.empty()) continue;
        std::string candidate = fmt::format("{}/{}", folder, name);
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return std::nullopt;
}

// Nothing but what pages ask for goes out, and that only to the proxy that each page is given. In its own
// network the browser could reach nothing else; these flags say the same for a browser without one.
constexpr std::string_view network_flags[] = {
    "--proxy-server=http://127.0.0.1:9",  // what belongs to no page goes nowhere
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--dns-prefetch-disable",
};

constexpr std::string_view other_flags[] = {
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-gpu",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--deny-permission-prompts",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,"
    "CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
};

}  // namespace

Result<std::string> find_chromium(const ChromiumConfig& config) {
    if (!config.path.empty()) {
        if (access(config.path.c_str(), X_OK) == 0) return config.path;
        return fail(ErrorCode::unavailable,
                    fmt::format("browser.path names {}, which is no program", config.path));
    }
    if (access(behind_script, X_OK) == 0) return behind_script;
    for (const std::string_view name : names)
        if (auto found = on_path(name)) return *std::move(found);
    return fail(
        ErrorCode::unavailable,
        "no browser was found: install one with `apt-get install chromium-headless-shell`, or name one "
        "with browser.path");
}

std::vector<std::string> chromium_command(const std::string& program, const ChromiumConfig& config,
                                          const std::string& folder) {
    std::vector<std::string> command{program, "--user-data-dir=" + folder + "/profile"};
    command.insert(command.end(), std::begin(other_flags), std::end(other_flags));
    command.insert(command.end(), std::begin(network_flags), std::end(network_flags));
    if (!program.ends_with("headless-shell")) command.emplace_back("--headless");
    if (!config.sandbox) command.emplace_back("--no-sandbox");
    return command;
}

}  // namespace quarry::browser
