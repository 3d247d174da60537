// A network that can be cut: forwards connections on a loopback port to another, until it is told to stall or
// to drop them.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace quarry::test {

class TcpProxy {
public:
    explicit TcpProxy(int target_port);
    ~TcpProxy();

    int port() const { return port_; }

    // Bytes wait, in both directions, and nobody is told: as when a cable is pulled.
    void stall() { set(State::stalled); }
    // Connections end with a reset, and new ones too: as when a machine has gone.
    void drop() { set(State::dropping); }
    void forward() { set(State::forwarding); }
    std::int64_t forwarded_bytes() const { return forwarded_; }

private:
    enum class State : std::uint8_t { forwarding, stalled, dropping };
    struct Pair {
        int client = -1, server = -1;
    };

    void set(State state);
    void run();
    void wait();
    void accept_one();
    void drop_all();
    // False once one side has gone.
    bool pass_on(int from, int to);

    const int target_port_;
    int listener_ = -1;
    int wake_[2] = {-1, -1};
    int port_ = 0;
    std::atomic<State> state_ = State::forwarding;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::int64_t> forwarded_ = 0;
    std::vector<Pair> pairs_;  // the thread's
    std::thread thread_;
};

}  // namespace quarry::test
