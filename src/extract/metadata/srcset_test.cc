#include <doctest/doctest.h>

#include "extract/metadata/images.h"

using quarry::extract::best_source;

TEST_CASE("the largest candidate of a srcset is chosen") {
    struct Row {
        const char* srcset;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"a.jpg 320w, b.jpg 640w, c.jpg 480w", "b.jpg", "by width"},
        {"a.jpg, b.jpg 2x, c.jpg 1.5x", "b.jpg", "by density"},
        {"a.jpg", "a.jpg", "one without descriptor"},
        {"a.jpg,", "a.jpg", "trailing comma"},
        {"a,b.jpg 1x", "a,b.jpg", "a comma inside a URL"},
        {"a.jpg 1x,b.jpg 2x", "b.jpg", "no space after the comma"},
        {"data:image/png;base64,AAAA 1x, b.jpg 2x", "b.jpg", "a data URL has a comma"},
        {"  \n a.jpg\t100w\n,\n b.jpg\t50w", "a.jpg", "any white space"},
        {"a.jpg 100h, b.jpg 10w", "b.jpg", "heights are not used"},
        {"a.jpg type(x, y) , b.jpg 1x", "b.jpg", "brackets"},
        {"", "", "empty"},
        {" , ,, ", "", "only commas"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.srcset);
        CAPTURE(row.reason);
        CHECK(best_source(row.srcset) == row.expected);
    }
}
