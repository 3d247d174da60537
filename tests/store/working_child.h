// A process that works on a store, and what it has told of the store's promises.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "store/workload.h"

namespace quarry::test {

class WorkingChild {
public:
    // `store`: a file, or the URL of a database. `environment`: more variables, as NAME=VALUE.
    WorkingChild(const std::string& store, std::uint64_t seed, std::vector<std::string> environment = {});
    ~WorkingChild();
    WorkingChild(const WorkingChild&) = delete;
    WorkingChild& operator=(const WorkingChild&) = delete;

    int output() const { return output_; }  // readable when it has told something
    // False when it has ended.
    bool read_promises(std::vector<Promise>& promises);
    void signal(int number) const;
    // Kills it, and reads what it said before. False if it had ended by itself.
    bool kill(std::vector<Promise>& promises);

private:
    pid_t process_ = 0;
    int output_ = -1;
    std::string bytes_;
};

}  // namespace quarry::test
