#include "extract/client_rendered.h"

#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry;
using extract::ScriptMade;

namespace {

ScriptMade judge(const std::string& body) {
    return extract::made_by_scripts(
        html::parse("<title>T</title><body>" + body + "<script src=app.js></script>"));
}

}  // namespace

TEST_CASE("an empty place for a program's text tells that the page is made by it") {
    for (const std::string body : {
             "<div id=root></div>",
             "<div id=app>Loading ...</div>",
             "<app-root></app-root>",
             "<noscript>Please enable JavaScript.</noscript><div></div>",
             "<main x-data=list><h1 x-text=title></h1><template x-for='row in rows'><li "
             "x-text=row></template></main>",
             "<ul><li ng-repeat='row in rows'></li></ul>",
         }) {
        CAPTURE(body);
        CHECK(judge(body) != ScriptMade::no);
    }
    CHECK(judge("<div id=root></div>") == ScriptMade::entirely);
    CHECK(judge("<h1>Shop</h1><div id=root></div>") == ScriptMade::mostly);
}

TEST_CASE("a page that has its text is not made by scripts, little as it may be") {
    for (const std::string body : {
             "<div id=root><h1>Tasks</h1><ul><li>Sharpen the chisels<li>Feed the donkey</ul></div>",
             "<app-root ng-version=20><h1>Tasks</h1><p>Sharpen the chisels, feed the donkey</app-root>",
             "<x-page><template shadowrootmode=open><h1>Tasks</h1><p>Sharpen chisels, feed "
             "donkeys</template></x-page>",
             "<main x-data='{count: 0}'><h1>Tasks</h1>Clicked <span x-text=count>0</span> times</main>",
             "<p>Moved.",
             "",
         }) {
        CAPTURE(body);
        CHECK(judge(body) == ScriptMade::no);
    }
    CHECK(judge("<div id=root></div>" + std::string(201, 'x')) == ScriptMade::no);
    CHECK(extract::made_by_scripts(html::parse("<div id=root></div>")) == ScriptMade::no);
}
