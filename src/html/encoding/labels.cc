#include "html/encoding/labels.h"

#include <array>
#include <cstddef>
#include <string>

#include "base/ascii.h"
#include "html/characters.h"

namespace quarry::html {
namespace {

struct EncodingRow {
    std::string_view name;
    const char* icu;
    std::string_view labels;  // each between spaces, so that a search for " label " finds whole labels only
};

// clang-format off
constexpr std::array<EncodingRow, 40> encoding_table{{
    {"UTF-8", "", " unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 "},
    {"IBM866", "ibm-866_P100-1995", " 866 cp866 csibm866 ibm866 "},
    {"ISO-8859-2", "ibm-912_P100-1995",
     " csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 "},
    {"ISO-8859-3", "ibm-913_P100-2000",
     " csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 "},
    {"ISO-8859-4", "ibm-914_P100-1995",
     " csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 "},
    {"ISO-8859-5", "ibm-915_P100-1995",
     " csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
     "iso_8859-5:1988 "},
    {"ISO-8859-6", "ibm-1089_P100-1995",
     " arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
     "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 "},
    {"ISO-8859-7", "ibm-9005_X110-2007",
     " csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
     "iso_8859-7 iso_8859-7:1987 sun_eu_greek "},
    {"ISO-8859-8", "ibm-5012_P100-1999",
     " csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
     "iso_8859-8 iso_8859-8:1988 visual "},
    {"ISO-8859-8-I", "ibm-5012_P100-1999", " csiso88598i iso-8859-8-i logical "},
    {"ISO-8859-10", "iso-8859_10-1998", " csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6 "},
    {"ISO-8859-13", "ibm-921_P100-1995", " iso-8859-13 iso8859-13 iso885913 "},
    {"ISO-8859-14", "iso-8859_14-1998", " iso-8859-14 iso8859-14 iso885914 "},
    {"ISO-8859-15", "ibm-923_P100-1998", " csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 "},
    {"ISO-8859-16", "iso-8859_16-2001", " iso-8859-16 "},
    {"KOI8-R", "ibm-878_P100-1996", " cskoi8r koi koi8 koi8-r koi8_r "},
    {"KOI8-U", "ibm-1168_P100-2002", " koi8-ru koi8-u "},
    {"macintosh", "macos-0_2-10.2", " csmacintosh mac macintosh x-mac-roman "},
    {"windows-874", "windows-874-2000", " dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874 "},
    {"windows-1250", "ibm-5346_P100-1998", " cp1250 windows-1250 x-cp1250 "},
    {"windows-1251", "ibm-5347_P100-1998", " cp1251 windows-1251 x-cp1251 "},
    {"windows-1252", "",
     " ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
     "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 "},
    {"windows-1253", "ibm-5349_P100-1998", " cp1253 windows-1253 x-cp1253 "},
    {"windows-1254", "ibm-5350_P100-1998",
     " cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
     "latin5 windows-1254 x-cp1254 "},
    {"windows-1255", "ibm-9447_P100-2002", " cp1255 windows-1255 x-cp1255 "},
    {"windows-1256", "ibm-9448_X100-2005", " cp1256 windows-1256 x-cp1256 "},
    {"windows-1257", "ibm-9449_P100-2002", " cp1257 windows-1257 x-cp1257 "},
    {"windows-1258", "ibm-5354_P100-1998", " cp1258 windows-1258 x-cp1258 "},
    {"x-mac-cyrillic", "macos-7_3-10.2", " x-mac-cyrillic x-mac-ukrainian "},
    {"GBK", "gb18030", " chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk "},
    {"gb18030", "gb18030", " gb18030 "},
    {"Big5", "ibm-1375_P100-2008", " big5 big5-hkscs cn-big5 csbig5 x-x-big5 "},
    {"EUC-JP", "euc-jp-2007", " cseucpkdfmtjapanese euc-jp x-euc-jp "},
    {"ISO-2022-JP", "ISO_2022,locale=ja,version=0", " csiso2022jp iso-2022-jp "},
    {"Shift_JIS", "ibm-943_P15A-2003", " csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis "},
    {"EUC-KR", "windows-949-2000",
     " cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
     "ksc_5601 windows-949 "},
    {"replacement", "", " csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement "},
    {"UTF-16BE", "", " unicodefffe utf-16be "},
    {"UTF-16LE", "", " csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le "},
    {"x-user-defined", "", " x-user-defined "},
}};
// clang-format on

constexpr std::size_t longest_label = 19;  // "cseucpkdfmtjapanese"

const EncodingRow& row_of(Encoding encoding) {
    return encoding_table[static_cast<std::size_t>(encoding)];
}

}  // namespace

std::optional<Encoding> find_encoding(std::string_view label) {
    label = trimmed(label);
    if (label.empty() || label.size() > longest_label || label.contains(' ')) return std::nullopt;
    std::string wanted = " ";
    for (const char c : label) wanted += to_lower(c);
    wanted += ' ';
    for (std::size_t i = 0; i < encoding_table.size(); ++i) {
        if (encoding_table[i].labels.contains(wanted)) return static_cast<Encoding>(i);
    }
    return std::nullopt;
}

std::string_view encoding_name(Encoding encoding) {
    return row_of(encoding).name;
}

const char* icu_converter_name(Encoding encoding) {
    return row_of(encoding).icu;
}

bool is_single_byte(Encoding encoding) {
    return encoding >= Encoding::ibm866 && encoding <= Encoding::x_mac_cyrillic;
}

}  // namespace quarry::html
