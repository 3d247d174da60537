// What UTS #46 maps differently since Unicode 16, for an ICU that is older: Debian 12 brings ICU 72 with the
// tables of Unicode 15, browsers bring newer ones, and a host must mean to us what it means to them. Once ICU
// is 76 or newer this file can go.
#pragma once

#include <string>
#include <string_view>

namespace quarry::url {

// The domain (UTF-8) with those characters mapped or left out; all others are ICU's to judge. Characters that
// Unicode 16 and 17 added remain unknown.
std::string with_newer_mappings(std::string_view domain);

}  // namespace quarry::url
