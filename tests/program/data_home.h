// A data folder of its own for a test, and the program run on it. No worker outlives it.
#pragma once

#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "program/run_quarry.h"
#include "servers/temporary_folder.h"

namespace quarry::test {

class DataHome {
public:
    // `environment`: what else the program is told, as "NAME=value".
    explicit DataHome(std::vector<std::string> environment = {}) : environment_(std::move(environment)) {}
    ~DataHome();

    const std::string& path() const { return folder_.path(); }
    std::string file(const std::string& name) const { return folder_.file(name); }
    RunOptions options() const {
        RunOptions options{.environment = environment_};
        options.environment.push_back("QUARRY_DATA=" + data());
        options.environment.push_back("HOME=" + folder_.path());
        // Services that are away are part of many tests, and a person's second is long for them.
        options.environment.push_back("QUARRY_EMBEDDING_RETRY_WAIT=10ms");
        return options;
    }
    std::string data() const { return folder_.file("data"); }

    Ran run(const std::vector<std::string>& arguments) const { return run_quarry(arguments, options()); }

    // The record of `status ID --json`.
    boost::json::object status(const std::string& id) const;

    // Returns when the crawl is over or paused; its record.
    boost::json::object watch(const std::string& id) const;

    // The URLs of `export pages ID`, sorted, with what is there twice twice.
    std::vector<std::string> pages_of(const std::string& id) const;

private:
    const std::vector<std::string> environment_;
    TemporaryFolder folder_;
};

// "data.jobId" of what `crawl` prints without --wait, or "crawl_id" of what it prints with --wait --json.
std::string id_in(const Ran& ran);

}  // namespace quarry::test
