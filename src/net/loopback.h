// Which addresses lead back to the machine that asks.
#pragma once

#include "net/address.h"

namespace quarry::net {

// 127.0.0.0/8 and ::1.
bool is_loopback(const Address& address);

}  // namespace quarry::net
