// An exchange that changes something: when it is answered, nobody gets an answer any more from before.
#pragma once

#include <memory>

#include "api/answer_cache.h"
#include "api/server.h"

namespace quarry::api {

class ChangingExchange : public Exchange {
public:
    ChangingExchange(std::shared_ptr<Exchange> inner, std::shared_ptr<AnswerCache> answers)
        : inner_(std::move(inner)), answers_(std::move(answers)) {}

    const Request& request() const override { return inner_->request(); }
    void respond(Response response) override {
        answers_->forget();
        inner_->respond(std::move(response));
    }
    std::shared_ptr<Follower> accept_websocket(std::string protocol) override {
        return inner_->accept_websocket(std::move(protocol));
    }
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
        answers_->forget();
        return inner_->begin_events(std::move(headers));
    }

private:
    const std::shared_ptr<Exchange> inner_;
    const std::shared_ptr<AnswerCache> answers_;
};

}  // namespace quarry::api
