// An exchange that does more when it is answered than the one that it stands for.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/server/server.h"

namespace quarry::api {

class WrappedExchange : public Exchange {
public:
    explicit WrappedExchange(std::shared_ptr<Exchange> inner) : inner_(std::move(inner)) {}

    const Request& request() const override { return inner_->request(); }
    void bill(std::string owner) override { inner_->bill(std::move(owner)); }
    void read_body(std::uint64_t most_bytes, OnBody ready) override {
        inner_->read_body(most_bytes, std::move(ready));
    }
    std::stop_token gone() const override { return inner_->gone(); }
    void respond(Response response) override { inner_->respond(std::move(response)); }
    std::shared_ptr<Follower> accept_websocket(std::string protocol) override {
        return inner_->accept_websocket(std::move(protocol));
    }
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
        return inner_->begin_events(std::move(headers));
    }

protected:
    Exchange& inner() const { return *inner_; }

private:
    const std::shared_ptr<Exchange> inner_;
};

}  // namespace quarry::api
