#include "program/data_home.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>

namespace quarry::test {

namespace json = boost::json;

DataHome::~DataHome() {
    run({"daemon", "stop"});
}

json::object DataHome::status(const std::string& id) const {
    return json::parse(run({"status", id, "--json"}).out).as_object();
}

json::object DataHome::watch(const std::string& id) const {
    return json::parse(run({"status", id, "--watch", "--json"}).out).as_object();
}

std::vector<std::string> DataHome::pages_of(const std::string& id) const {
    std::vector<std::string> urls;
    std::istringstream lines(run({"export", "pages", id, "--without-content"}).out);
    for (std::string line; std::getline(lines, line);)
        urls.emplace_back(json::parse(line).at("url").as_string());
    std::ranges::sort(urls);
    return urls;
}

std::string id_in(const Ran& ran) {
    const json::object record = json::parse(ran.out).as_object();
    const json::value& id = record.contains("data") ? record.at("data").at("jobId") : record.at("crawl_id");
    return std::string(id.as_string());
}

}  // namespace quarry::test
