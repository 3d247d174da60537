// What is right and what is wrong with an installation: its data folder, its databases, who works on it, the
// services it was told of, and the machine. Everything is looked at; nothing is changed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/data_source.h"
#include "base/result.h"

namespace quarry::app {

enum class Health : std::uint8_t {
    ok,
    warn,  // works, but somebody should look at it
    fail,  // cannot work
};
std::string_view name_of(Health health);

struct Finding {
    std::string subject{};  // "store"
    Health health = Health::ok;
    std::string says{};    // what was found
    std::string advice{};  // what to do about it; "" if nothing is to do
};

enum class Care : std::uint8_t {
    quick,     // large databases are opened, not read
    thorough,  // every page of every database is read
};

// Asks services over the network, but only those that have settings; at most some seconds each.
std::vector<Finding> examine(const DataSource& place, Care care);

// The worst of them; `ok` if there is none.
Health worst_of(std::span<const Finding> findings);

// The parts of examine, one file each.
std::vector<Finding> examine_data(const DataSource& place, Care care);
std::vector<Finding> examine_services(const DataSource& place);
std::vector<Finding> examine_machine(const DataSource& place);

}  // namespace quarry::app
