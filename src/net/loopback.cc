#include "net/loopback.h"

namespace quarry::net {

bool is_loopback(const Address& address) {
    static const Network v4 = Network::parse("127.0.0.0/8").value();
    static const Network v6 = Network::parse("::1/128").value();
    return v4.contains(address) || v6.contains(address);
}

}  // namespace quarry::net
