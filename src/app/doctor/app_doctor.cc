#include "app/doctor/doctor.h"

#include <algorithm>

namespace quarry::app {

std::string_view name_of(Health health) {
    switch (health) {
        case Health::ok: return "ok";
        case Health::warn: return "warn";
        case Health::fail: return "fail";
    }
    return "fail";
}

std::vector<Finding> examine(const Workplace& place, Care care) {
    std::vector<Finding> findings = examine_data(place, care);
    for (auto part : {&examine_services, &examine_machine})
        for (Finding& finding : part(place)) findings.push_back(std::move(finding));
    return findings;
}

Health worst_of(std::span<const Finding> findings) {
    Health worst = Health::ok;
    for (const Finding& finding : findings) worst = std::max(worst, finding.health);
    return worst;
}

}  // namespace quarry::app
