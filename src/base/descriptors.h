// Open files, sockets and pipe ends. A Descriptor closes itself when its owner goes. A DescriptorPlan says
// how many this process may have open at once.
#pragma once

#include <cstdint>
#include <utility>

#include <unistd.h>

namespace quarry {

// An open file, socket or pipe end that is closed when its owner goes.

class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }
    int release() { return std::exchange(number_, -1); }
    void close() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }

private:
    int number_;
};

// How many files and sockets this process may have open at once.

// Asks for as many as the system lets it have, within reason, and returns how many that are. A login shell
// hands down 1,024, which is a hint to programs that use select() and too few for a server.
std::int64_t raise_descriptor_limit();

// Who may have how many of them, so that a crawl does not take those of clients, nor the other way round.
// Databases, files and pipes have the rest.
struct DescriptorPlan {
    int clients = 0;   // of a server
    int reserved = 0;  // of these, so many are held so that nobody else can take them
    int fetches = 0;   // connections to other servers, those that are kept for later included
};
DescriptorPlan descriptor_plan();

}  // namespace quarry
