#include "net/browser_proxy.h"

#include <future>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/thread_name.h"
#include "net/gate_visit.h"
#include "net/loopback.h"

namespace quarry::net {

namespace asio = boost::asio;

namespace {

asio::ip::tcp protocol_of(const Descriptor& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return address.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
}

std::optional<Address> address_of(const GateEndpoint& endpoint) {
    return Address::from_sockaddr(reinterpret_cast<const sockaddr*>(endpoint.data()));
}

bool is_let_in(const GatePass& pass, const GateSocket& visitor) {
    if (!pass.browser) return true;
    boost::system::error_code problem;
    const GateEndpoint endpoint = visitor.remote_endpoint(problem);
    const auto address = problem ? std::nullopt : address_of(endpoint);
    if (!address) return false;
    return *address == *pass.browser || (is_loopback(*address) && is_loopback(*pass.browser));
}

}  // namespace

class Gate::Impl {
private:
    struct LaneState {
        LaneState() { visit->is_over = true; }
        std::shared_ptr<GateVisit> visit = std::make_shared<GateVisit>();  // its connections hold it, too
    };

    template <typename Do>
    auto on_thread(Do&& what) {
        std::promise<decltype(what())> done;
        auto result = done.get_future();
        asio::post(io_, [&what, done = std::move(done)]() mutable { done.set_value(what()); });
        return result.get();
    }

public:
    Impl()
        : thread_([this] {
              name_this_thread("gate");
              io_.run();
          }) {}
    ~Impl() {
        io_.stop();
        thread_.join();
    }

    Lane add(Descriptor listener) {
        return on_thread([&] {
            lanes_.push_back(std::make_unique<LaneState>());
            const auto protocol = protocol_of(listener);
            asio::ip::tcp::acceptor acceptor(io_, protocol, listener.release());
            asio::co_spawn(io_, accept(std::move(acceptor), *lanes_.back()), asio::detached);
            return lanes_.size() - 1;
        });
    }
    void open(Lane lane, GatePass pass) {
        on_thread([&] {
            lanes_[lane]->visit->end();
            lanes_[lane]->visit = std::make_shared<GateVisit>(GateVisit{.pass = std::move(pass)});
            return 0;
        });
    }
    GateTally tally(Lane lane) {
        return on_thread([&] { return lanes_[lane]->visit->tally; });
    }
    GateTally close(Lane lane) {
        return on_thread([&] {
            lanes_[lane]->visit->end();
            return lanes_[lane]->visit->tally;
        });
    }

private:
    GateTask<> accept(asio::ip::tcp::acceptor acceptor, LaneState& lane) {
        asio::steady_timer breath(io_);
        for (;;) {
            boost::system::error_code problem;
            GateSocket socket =
                co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, problem));
            if (problem == asio::error::operation_aborted) co_return;
            if (problem) {  // no descriptors left: others will end
                breath.expires_after(std::chrono::milliseconds(50));
                co_await breath.async_wait(asio::redirect_error(asio::use_awaitable, problem));
                continue;
            }
            if (lane.visit->is_over) continue;
            if (!is_let_in(lane.visit->pass, socket)) {
                ++lane.visit->tally.strangers;
                continue;
            }
            socket.set_option(asio::ip::tcp::no_delay(true), problem);
            asio::co_spawn(io_, serve_at_gate(std::move(socket), lane.visit, names_), asio::detached);
        }
    }

    asio::io_context io_{1};  // goes last: those who look names up hand over to it what they found
    asio::executor_work_guard<asio::io_context::executor_type> stay_ = asio::make_work_guard(io_);
    GateNames names_;
    std::vector<std::unique_ptr<LaneState>> lanes_;
    std::jthread thread_;
};

Gate::Gate() : impl_(std::make_unique<Impl>()) {}
Gate::~Gate() = default;
Gate::Lane Gate::add(Descriptor listener) {
    return impl_->add(std::move(listener));
}
void Gate::open(Lane lane, GatePass pass) {
    impl_->open(lane, std::move(pass));
}
GateTally Gate::tally(Lane lane) {
    return impl_->tally(lane);
}
GateTally Gate::close(Lane lane) {
    return impl_->close(lane);
}

}  // namespace quarry::net
