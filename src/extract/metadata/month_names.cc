#include "extract/metadata/month_names.h"

#include <algorithm>
#include <array>
#include <span>

namespace quarry::extract {

namespace {

struct NamedNumber {
    std::string_view name;
    int number;
};

// Sorted by name for binary search; the sort order is checked below, while compiling.
// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian, abbreviations included.
constexpr std::array months{
    NamedNumber{"abr", 4},        NamedNumber{"abril", 4},      NamedNumber{"ago", 8},
    NamedNumber{"agosto", 8},     NamedNumber{"août", 8},       NamedNumber{"apr", 4},
    NamedNumber{"april", 4},      NamedNumber{"aprile", 4},     NamedNumber{"aug", 8},
    NamedNumber{"august", 8},     NamedNumber{"augustus", 8},   NamedNumber{"avr", 4},
    NamedNumber{"avril", 4},      NamedNumber{"czerwca", 6},    NamedNumber{"dec", 12},
    NamedNumber{"december", 12},  NamedNumber{"dez", 12},       NamedNumber{"dezember", 12},
    NamedNumber{"dezembro", 12},  NamedNumber{"dic", 12},       NamedNumber{"dicembre", 12},
    NamedNumber{"diciembre", 12}, NamedNumber{"déc", 12},       NamedNumber{"décembre", 12},
    NamedNumber{"enero", 1},      NamedNumber{"feb", 2},        NamedNumber{"febbraio", 2},
    NamedNumber{"febrero", 2},    NamedNumber{"februar", 2},    NamedNumber{"februari", 2},
    NamedNumber{"february", 2},   NamedNumber{"fev", 2},        NamedNumber{"fevereiro", 2},
    NamedNumber{"févr", 2},       NamedNumber{"février", 2},    NamedNumber{"gennaio", 1},
    NamedNumber{"giugno", 6},     NamedNumber{"grudnia", 12},   NamedNumber{"jan", 1},
    NamedNumber{"janeiro", 1},    NamedNumber{"januar", 1},     NamedNumber{"januari", 1},
    NamedNumber{"january", 1},    NamedNumber{"janv", 1},       NamedNumber{"janvier", 1},
    NamedNumber{"juil", 7},       NamedNumber{"juillet", 7},    NamedNumber{"juin", 6},
    NamedNumber{"jul", 7},        NamedNumber{"julho", 7},      NamedNumber{"juli", 7},
    NamedNumber{"julio", 7},      NamedNumber{"july", 7},       NamedNumber{"jun", 6},
    NamedNumber{"june", 6},       NamedNumber{"junho", 6},      NamedNumber{"juni", 6},
    NamedNumber{"junio", 6},      NamedNumber{"jänner", 1},     NamedNumber{"kwietnia", 4},
    NamedNumber{"lipca", 7},      NamedNumber{"listopada", 11}, NamedNumber{"luglio", 7},
    NamedNumber{"lutego", 2},     NamedNumber{"maart", 3},      NamedNumber{"maggio", 5},
    NamedNumber{"mai", 5},        NamedNumber{"maio", 5},       NamedNumber{"maja", 5},
    NamedNumber{"mar", 3},        NamedNumber{"marca", 3},      NamedNumber{"march", 3},
    NamedNumber{"mars", 3},       NamedNumber{"marzo", 3},      NamedNumber{"março", 3},
    NamedNumber{"may", 5},        NamedNumber{"mayo", 5},       NamedNumber{"mei", 5},
    NamedNumber{"mrt", 3},        NamedNumber{"mär", 3},        NamedNumber{"märz", 3},
    NamedNumber{"nov", 11},       NamedNumber{"november", 11},  NamedNumber{"novembre", 11},
    NamedNumber{"novembro", 11},  NamedNumber{"noviembre", 11}, NamedNumber{"oct", 10},
    NamedNumber{"october", 10},   NamedNumber{"octobre", 10},   NamedNumber{"octubre", 10},
    NamedNumber{"okt", 10},       NamedNumber{"oktober", 10},   NamedNumber{"ottobre", 10},
    NamedNumber{"out", 10},       NamedNumber{"outubro", 10},   NamedNumber{"października", 10},
    NamedNumber{"sep", 9},        NamedNumber{"sept", 9},       NamedNumber{"september", 9},
    NamedNumber{"septembre", 9},  NamedNumber{"septiembre", 9}, NamedNumber{"set", 9},
    NamedNumber{"setembro", 9},   NamedNumber{"settembre", 9},  NamedNumber{"sierpnia", 8},
    NamedNumber{"stycznia", 1},   NamedNumber{"września", 9},   NamedNumber{"августа", 8},
    NamedNumber{"апреля", 4},     NamedNumber{"декабря", 12},   NamedNumber{"июля", 7},
    NamedNumber{"июня", 6},       NamedNumber{"марта", 3},      NamedNumber{"мая", 5},
    NamedNumber{"ноября", 11},    NamedNumber{"октября", 10},   NamedNumber{"сентября", 9},
    NamedNumber{"февраля", 2},    NamedNumber{"января", 1},
};

constexpr std::array zones{
    NamedNumber{"bst", 60},   NamedNumber{"cdt", -300}, NamedNumber{"cest", 120}, NamedNumber{"cet", 60},
    NamedNumber{"cst", -360}, NamedNumber{"edt", -240}, NamedNumber{"eest", 180}, NamedNumber{"eet", 120},
    NamedNumber{"est", -300}, NamedNumber{"gmt", 0},    NamedNumber{"jst", 540},  NamedNumber{"mdt", -360},
    NamedNumber{"msk", 180},  NamedNumber{"mst", -420}, NamedNumber{"pdt", -420}, NamedNumber{"pst", -480},
    NamedNumber{"ut", 0},     NamedNumber{"utc", 0},    NamedNumber{"wet", 0},    NamedNumber{"z", 0},
};

static_assert(std::ranges::is_sorted(months, {}, &NamedNumber::name));
static_assert(std::ranges::is_sorted(zones, {}, &NamedNumber::name));

std::optional<int> number_of(std::span<const NamedNumber> table, std::string_view name) {
    const auto found = std::ranges::lower_bound(table, name, {}, &NamedNumber::name);
    if (found == table.end() || found->name != name) return std::nullopt;
    return found->number;
}

}  // namespace

std::optional<int> month_number(std::string_view name) {
    return number_of(months, name);
}

std::optional<int> zone_offset_minutes(std::string_view name) {
    return number_of(zones, name);
}

}  // namespace quarry::extract
