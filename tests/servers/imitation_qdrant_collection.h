// One collection of the imitated Qdrant: its points in memory, found by reading all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace quarry::test {

class QdrantCollection {
public:
    // What is wrong with the request, in Qdrant's words; "" if nothing is.
    using Complaint = std::string;

    std::map<std::string, std::size_t> dense{};  // by name, their size
    std::set<std::string> sparse{};              // by name; all with the modifier idf
    std::set<std::string> indexed_fields{};

    Complaint check_point(const boost::json::value& point) const;
    void put(const boost::json::object& point);  // of a checked one
    void erase(const std::string& id) { points_.erase(id); }
    void set_payload(const std::string& id, const boost::json::object& fields);
    void drop_vector(const std::string& name);

    std::size_t size() const { return points_.size(); }
    std::vector<std::string> ids_passing(const boost::json::value& filter) const;
    std::optional<boost::json::object> record(const std::string& id) const;  // id and payload

    // A query of any kind, or a prefetch, which is one.
    Complaint check_query(const boost::json::object& query) const;
    struct Found {
        std::string id{};
        double score = 0;
    };
    std::vector<Found> query(const boost::json::object& query) const;  // of a checked one

    // As a JSON value writes it: "7" or the UUID in quotes.
    static std::string key_of(const boost::json::value& id);
    static bool is_id(const boost::json::value& id);

private:
    struct Point {
        boost::json::value id{};
        boost::json::object payload{};
        std::map<std::string, std::vector<float>> dense{};
        std::map<std::string, std::map<std::uint32_t, float>> sparse{};
        std::set<std::string> vectors{};
    };

    struct Asked {
        std::vector<float> dense{};
        std::map<std::uint32_t, float> sparse{};
    };

    Complaint check_vector(const std::string& name, const boost::json::value& vector) const;
    std::vector<Found> fuse(const boost::json::object& query) const;
    double idf(const std::string& name, std::uint32_t index) const;
    Asked asked_for(const std::string& name, const boost::json::value& query) const;
    std::optional<double> score(const Point& point, const std::string& name, const Asked& asked) const;

    std::map<std::string, Point> points_;
};

}  // namespace quarry::test
