// Telling systemd how far this process is, if it was started by systemd as Type=notify.
#pragma once

#include <string_view>

namespace quarry::app {

// "READY=1", "STOPPING=1". Nothing happens where nobody wants to know.
void tell_service_manager(std::string_view state);

}  // namespace quarry::app
