// How a page is told what it is to be: its size, its language, its name, and what it does without.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "browser/request.h"

namespace quarry::browser {

using BrowserCommand = std::pair<std::string_view, boost::json::object>;

// To be sent before the page goes anywhere.
std::vector<BrowserCommand> setup_commands(const RenderRequest& request, const std::string& browsers_name);

// What to say to requests that are held up (Fetch.requestPaused): that they are blocked, or may go on, and
// with which headers. The user's headers go to the origin that they were meant for, and to no other. Once the
// page has gone to another origin they are gone for good, as with a redirect that is followed without a
// browser: what is there now must not read with them what it could not read itself. So it is with each frame
// that has been elsewhere, and with all that lies in it. On one thread; the request outlives it.
class HeldUpRequests {
public:
    explicit HeldUpRequests(const RenderRequest& request) : request_(request) {}

    // Before the page goes anywhere.
    void set_main_frame(std::string frame) { main_frame_ = std::move(frame); }
    // What Page.frameAttached says.
    void note_frame(const boost::json::object& attached);

    void tell_verdict(
        const boost::json::object& paused,
        const std::function<void(std::string_view method, boost::json::object parameters)>& tell);

private:
    bool is_own(const std::string& frame) const;
    void note_stranger(const std::string& frame);

    const RenderRequest& request_;
    std::string main_frame_;
    bool has_left_ = false;
    std::map<std::string, std::string> parents_;  // of frames, as far as they are known
    std::set<std::string> strangers_;             // frames that have been elsewhere
};

}  // namespace quarry::browser
