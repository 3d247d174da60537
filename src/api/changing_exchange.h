// An exchange that changes something: when it is answered, nobody gets an answer any more from before.
#pragma once

#include <memory>

#include "api/answer_cache.h"
#include "api/server/wrapped_exchange.h"

namespace quarry::api {

class ChangingExchange : public WrappedExchange {
public:
    ChangingExchange(std::shared_ptr<Exchange> inner, std::shared_ptr<AnswerCache> answers)
        : WrappedExchange(std::move(inner)), answers_(std::move(answers)) {}

    void respond(Response response) override {
        answers_->forget();
        WrappedExchange::respond(std::move(response));
    }
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
        answers_->forget();
        return WrappedExchange::begin_events(std::move(headers));
    }

private:
    const std::shared_ptr<AnswerCache> answers_;
};

}  // namespace quarry::api
