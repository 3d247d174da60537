#include "browser/page_setup.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "browser/devtools.h"
#include "net/http_message.h"

namespace quarry::browser {
namespace {

namespace json = boost::json;

// Those that most pages with advertising ask. A list of all of them would be another project.
constexpr std::string_view ad_hosts[] = {
    "doubleclick.net",
    "googlesyndication.com",
    "googleadservices.com",
    "google-analytics.com",
    "googletagmanager.com",
    "googletagservices.com",
    "adnxs.com",
    "amazon-adsystem.com",
    "criteo.com",
    "criteo.net",
    "taboola.com",
    "outbrain.com",
    "pubmatic.com",
    "rubiconproject.com",
    "openx.net",
    "scorecardresearch.com",
    "adsrvr.org",
    "casalemedia.com",
    "moatads.com",
    "hotjar.com",
    "quantserve.com",
    "chartbeat.com",
    "connect.facebook.net",
    "smartadserver.com",
};

// Of a page that is told apart; one with more gets no headers in those that come later.
constexpr std::size_t most_frames = 1'000;

bool is_cookie(const Header& header) {
    return equals_ignore_case(header.name, "cookie");
}

bool has_own_headers(const RenderRequest& request) {
    return !std::ranges::all_of(request.headers, is_cookie);
}

json::array cookies_of(const RenderRequest& request) {
    json::array cookies;
    for (const Header& header : request.headers) {
        if (!is_cookie(header)) continue;
        std::string_view rest = header.value;
        while (!rest.empty()) {
            std::string_view pair = trimmed(net::take_until(rest, ';'));
            const std::string_view name = net::take_until(pair, '=');
            if (!name.empty())
                cookies.push_back(json::object{{"name", name},
                                               {"value", pair},
                                               {"url", request.url.href()},
                                               {"secure", request.url.scheme() == "https"}});
        }
    }
    return cookies;
}

// Android as browsers there describe themselves, whatever the device.
std::string mobile_name(std::string name) {
    const auto begin = name.find('('), end = name.find(')');
    if (begin != std::string::npos && end != std::string::npos && begin < end)
        name.replace(begin, end - begin + 1, "(Linux; Android 10; K)");
    if (const auto at = name.find(" Safari/"); at != std::string::npos) name.insert(at, " Mobile");
    return name;
}

json::object identity(const RenderRequest& request, const std::string& browsers_name) {
    std::string name = request.mobile ? mobile_name(browsers_name) : browsers_name;
    if (!request.user_agent.empty()) name += " " + request.user_agent;
    json::object override{{"userAgent", name}};
    if (!request.locale.empty()) override["acceptLanguage"] = request.locale;
    return override;
}

json::array held_up(const RenderRequest& request) {
    json::array patterns;
    if (has_own_headers(request)) {
        patterns.push_back(json::object{{"urlPattern", "*"}});
        return patterns;
    }
    if (request.blocked.fonts) patterns.push_back(json::object{{"resourceType", "Font"}});
    if (request.blocked.media) patterns.push_back(json::object{{"resourceType", "Media"}});
    if (request.blocked.images) patterns.push_back(json::object{{"resourceType", "Image"}});
    if (request.blocked.ads)
        for (const std::string_view host : ad_hosts) {
            patterns.push_back(json::object{{"urlPattern", fmt::format("*://{}/*", host)}});
            patterns.push_back(json::object{{"urlPattern", fmt::format("*://*.{}/*", host)}});
        }
    return patterns;
}

bool is_ad(const url::Url& url) {
    const std::string_view host = url.host();
    return std::ranges::any_of(ad_hosts, [&](std::string_view ad) {
        return host == ad || (host.ends_with(ad) && host[host.size() - ad.size() - 1] == '.');
    });
}

bool is_blocked(const json::object& paused, const url::Url& url, const Blocked& blocked) {
    const std::string_view type = text_at(paused, "resourceType");
    return (blocked.fonts && type == "Font") || (blocked.media && type == "Media") ||
           (blocked.images && type == "Image") || (blocked.ads && type != "Document" && is_ad(url));
}

// The browser's own headers with the user's: all of them for the origin they are meant for, none for others,
// also where a redirect has carried them along.
json::array headers_for(const json::object& paused, const RenderRequest& request, bool is_own_origin) {
    const auto is_users = [&](std::string_view name) {
        return std::ranges::any_of(
            request.headers, [&](const Header& header) { return equals_ignore_case(header.name, name); });
    };
    json::array headers;
    for (const auto& [name, value] : object_at(object_at(paused, "request"), "headers"))
        if (value.is_string() && (!is_users(name) || equals_ignore_case(name, "cookie")))
            headers.push_back(json::object{{"name", name}, {"value", value}});
    if (is_own_origin)
        for (const Header& header : request.headers)
            if (!is_cookie(header))
                headers.push_back(json::object{{"name", header.name}, {"value", header.value}});
    return headers;
}

}  // namespace

std::vector<BrowserCommand> setup_commands(const RenderRequest& request, const std::string& browsers_name) {
    std::vector<BrowserCommand> commands{
        {"Page.enable", {}},
        {"Page.setLifecycleEventsEnabled", {{"enabled", true}}},
        {"Network.enable", {{"maxTotalBufferSize", 0}, {"maxResourceBufferSize", 0}}},
        {"Inspector.enable", {}},
        {"Emulation.setUserAgentOverride", identity(request, browsers_name)},
        {"Emulation.setDeviceMetricsOverride",
         {{"width", request.viewport.width},
          {"height", request.viewport.height},
          {"deviceScaleFactor", 1},
          {"mobile", request.mobile}}}};
    if (request.mobile) commands.push_back({"Emulation.setTouchEmulationEnabled", {{"enabled", true}}});
    if (!request.locale.empty())
        commands.push_back({"Emulation.setLocaleOverride", {{"locale", request.locale}}});
    if (json::array cookies = cookies_of(request); !cookies.empty())
        commands.push_back({"Network.setCookies", {{"cookies", std::move(cookies)}}});
    if (json::array patterns = held_up(request); !patterns.empty())
        commands.push_back({"Fetch.enable", {{"patterns", std::move(patterns)}}});
    return commands;
}

void HeldUpRequests::tell_verdict(const json::object& paused,
                                  const std::function<void(std::string_view, json::object)>& tell) {
    json::object parameters{{"requestId", text_at(paused, "requestId")}};
    const auto url = url::Url::parse(text_at(object_at(paused, "request"), "url"));
    if (!url || is_blocked(paused, *url, request_.blocked)) {
        parameters["errorReason"] = "BlockedByClient";
        tell("Fetch.failRequest", std::move(parameters));
        return;
    }
    if (has_own_headers(request_)) {
        const std::string frame(text_at(paused, "frameId"));
        const bool is_document = text_at(paused, "resourceType") == "Document";
        const bool is_own_origin = url->origin() == request_.url.origin();
        if (is_document && !is_own_origin) note_stranger(frame);
        // A frame's own document may be asked for before it is told that there is this frame.
        const bool is_new_frame = is_document && !parents_.contains(frame) && !strangers_.contains(frame);
        const bool may_have = is_own_origin && !has_left_ && (is_new_frame || is_own(frame));
        parameters["headers"] = headers_for(paused, request_, may_have);
    }
    tell("Fetch.continueRequest", std::move(parameters));
}

void HeldUpRequests::note_frame(const json::object& attached) {
    if (!has_own_headers(request_) || parents_.size() >= most_frames) return;
    parents_.emplace(text_at(attached, "frameId"), text_at(attached, "parentFrameId"));
}

void HeldUpRequests::note_stranger(const std::string& frame) {
    has_left_ = has_left_ || frame == main_frame_ || strangers_.size() >= most_frames;
    if (!has_left_) strangers_.insert(frame);
}

// A document that was not asked for over the network (srcdoc, about:blank) is of the one around it.
bool HeldUpRequests::is_own(const std::string& frame) const {
    const std::string* at = &frame;
    for (std::size_t level = 0; level < most_frames && *at != main_frame_; ++level) {
        const auto known = parents_.find(*at);
        if (known == parents_.end() || strangers_.contains(*at)) return false;
        at = &known->second;
    }
    return *at == main_frame_;
}

}  // namespace quarry::browser
