// One page in a browser, in a context of its own: no cookie, cache or storage outlives it, and all its
// requests go through a lane of the gate that is its alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "browser/instance.h"
#include "browser/page_events.h"
#include "browser/page_setup.h"
#include "browser/request.h"

namespace quarry::browser {

// Belongs to one thread.
class Page {
public:
    // The instance must outlive the page; the lane is the page's until it goes.
    static Result<std::unique_ptr<Page>> open(Instance& instance, const Lane& lane,
                                              const RenderRequest& request, Deadline deadline);
    ~Page();
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    // Goes to the request's URL and waits until the server has answered. Fails as fetching does: `refused` by
    // the policy, `not_found`, `unavailable`, `timeout`.
    Result<void> navigate();

    // As the request has it. At the deadline what is there is taken: then false.
    Result<bool> wait_until_ready();

    // Calls one of page_scripts.h with the arguments, in a world where the page's own scripts have no say.
    Result<boost::json::value> run(std::string_view script, boost::json::array arguments);
    // The same among the page's own scripts: the user's code. Gives {"type": …, "value": …}.
    Result<boost::json::object> run_users(const std::string& script);

    Result<std::string> html();
    // What branding_script.h tells.
    Result<boost::json::value> branding();
    Result<std::string> picture(const PictureWish& wish);
    Result<std::string> pdf(const PdfWish& wish);

    Result<boost::json::object> call(std::string_view method, boost::json::object parameters = {});
    void tell(std::string_view method, boost::json::object parameters = {});

    // Waits without asking anything of the page.
    Result<void> pause(std::chrono::milliseconds time);
    Result<void> wait_quiet(Deadline until);
    Result<void> wait_for_selector(const std::string& selector);

    // Why the document that is there is none of the web's: the gate refused it, or nobody answered.
    Result<void> check_document();

    PageState state() const { return events_.state(); }
    const RenderRequest& request() const { return request_; }
    Deadline deadline() const { return deadline_; }
    net::ProxyStats tally() { return instance_.gate().tally(lane_.number); }

    // Closes it and says whether the browser did so in time: one that does not has to be ended.
    bool close();

private:
    Page(Instance& instance, Lane lane, const RenderRequest& request, Deadline deadline)
        : instance_(instance),
          lane_(std::move(lane)),
          request_(request),
          deadline_(deadline),
          held_up_(request) {}
    // The same, of a page that may go elsewhere meanwhile: then it is asked of the next one.
    Result<boost::json::value> run_patiently(std::string_view script, const boost::json::array& arguments);
    Result<void> attach();
    Result<void> set_up();
    void take_event(const std::string& method, const boost::json::object& params);
    Error failure(std::string_view browsers_words);

    Instance& instance_;
    const Lane lane_;
    const RenderRequest& request_;
    const Deadline deadline_;
    HeldUpRequests held_up_;  // of the connection's thread
    std::string context_, target_, session_;
    PageEvents events_;
    bool is_closed_ = false;
};

}  // namespace quarry::browser
