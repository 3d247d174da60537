// Reads sitemaps and feeds, which are XML in name and often not quite in fact: as a stream of events, within
// bounds, forgiving what can be forgiven. Expat does the parsing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::text {

// "media:title" as written. Prefixes are not looked up: many feeds use prefixes that they never declare, and
// where an element stands tells enough about what it is.
struct XmlName {
    std::string_view prefix{};
    std::string_view local{};
};

struct XmlAttribute {
    XmlName name{};
    std::string_view value{};
};

// Receives the document in order, as UTF-8. The views live as long as the call.
class XmlHandler {
public:
    virtual ~XmlHandler() = default;

    virtual void start(const XmlName& name, std::span<const XmlAttribute> attributes) = 0;
    virtual void end(const XmlName& name) = 0;
    virtual void text(std::string_view text) = 0;  // one text may come in several pieces

    // Asked behind every element: false ends the reading early, which is no error.
    virtual bool wants_more() const { return true; }
};

struct XmlLimits {
    std::size_t max_bytes = 64 << 20;      // the rest is not read: `too_large`
    std::size_t max_text_bytes = 4 << 20;  // between two tags; what exceeds it is left out
    int max_depth = 200;                   // a deeper element ends the reading: `too_large`
};

// Reads the document and tells the handler what it saw. Whatever came before an error has been delivered, so
// a caller may use it and report the error besides.
//
// Forgiven: text before the XML declaration, a bare '&', unknown entities such as &nbsp; (the common ones
// become their character, others stay as written), control characters, invalid UTF-8. Encodings other than
// UTF-8 and UTF-16 are converted by ICU; one that it does not know is `unsupported`. External entities are
// never loaded, and entities that expand to far more than the input are refused, so no document can reach out
// or blow up.
Result<void> read_xml(std::string_view bytes, XmlHandler& handler, const XmlLimits& limits = {});

}  // namespace quarry::text
