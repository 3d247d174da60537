// The simulated disk as SQLite sees it: a VFS with files, locks between connections of this process, and the
// shared memory of write-ahead logs, which no power cut survives.
#pragma once

#include <memory>
#include <string>

#include "faults/simulated_disk.h"

namespace quarry::test {

// Registered while this lives. Connections that use it are closed before.
class SimulatedVfs {
public:
    explicit SimulatedVfs(SimulatedDisk& disk);
    ~SimulatedVfs();
    SimulatedVfs(SimulatedVfs&&) = delete;

    const std::string& name() const { return name_; }

private:
    struct State;

    std::string name_;
    std::unique_ptr<State> state_;
};

}  // namespace quarry::test
