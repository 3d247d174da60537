#include "extract/structured/values.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using quarry::structured::typed_value;
using quarry::structured::ValueType;
namespace json = boost::json;

TEST_CASE("numbers are read as pages write them") {
    struct Row {
        const char* text;
        const char* number;
    };
    const Row rows[] = {
        {"5", "5"},
        {"$1,299.00", "1299"},
        {"1.299,00 €", "1299"},
        {"1,299", "1299"},
        {"1.299", "1299"},
        {"0.125", "1.25E-1"},
        {"1,5", "1.5E0"},
        {"12.50 USD", "1.25E1"},
        {"4.5 out of 5", "4.5E0"},
        {"1 299,90 kr", "1.2999E3"},
        {"1'000'000", "1000000"},
        {"1,234,567", "1234567"},
        {"from 5 10 times", "5"},
        {"-3", "-3"},
        {"−3 °C", "-3"},
        {"A-3", "3"},
        {"none", "null"},
        {"", "null"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(json::serialize(typed_value(row.text, ValueType::number, nullptr).value_or(nullptr)) ==
              row.number);
    }
}

TEST_CASE("a value that is not of its type is none") {
    CHECK(!typed_value("1.5", ValueType::integer, nullptr));
    CHECK(typed_value("1.0", ValueType::integer, nullptr) == json::value(1));
    CHECK(!typed_value("soon", ValueType::date, nullptr));
    CHECK(!typed_value("maybe", ValueType::boolean, nullptr));
    CHECK(typed_value(" No ", ValueType::boolean, nullptr) == json::value(false));
    CHECK(!typed_value("javascript:x", ValueType::url, nullptr));
    CHECK(!quarry::structured::parse_value_type("float"));
}
