#include "extract/markdown/cases_test.h"

namespace quarry::extract {

TEST_CASE("footnotes of every generator are found by their links") {
    check_markdown({
        {"<p>a<sup id=r1><a href='#n1'>1</a></sup></p><section class=footnotes><hr><ol><li id=n1><p>Note <a "
         "href='#r1'>↩</a></p>"
         "</li></ol></section>",
         "a[^1]\n\n[^1]: Note"},
        {"<p>a<a id=fnref1 class=footnote-ref href='#fn1'><sup>1</sup></a></p><ol><li id=fn1>Note<a "
         "href='#fnref1' "
         "class=footnote-back>↩</a></li></ol>",
         "a[^1]\n\n[^1]: Note"},
        {"<p>a<sup id=cite_ref-1><a href='#cite_note-1'>[1]</a></sup></p><ol class=references><li "
         "id=cite_note-1>"
         "<span class=mw-cite-backlink><b><a href='#cite_ref-1'>^</a></b></span> <span>Book</span></li></ol>",
         "a[^1]\n\n[^1]: Book"},
        {"<p>a<a class='footnote-reference brackets' href='#id2' id=id1>1</a></p><aside class='footnote "
         "brackets' id=id2>"
         "<span class=label><span>[</span><a href='#id1'>1</a><span>]</span></span><p>Note</p></aside>",
         "a[^1]\n\n[^1]: Note"},
    });
}

TEST_CASE("a note may have several paragraphs and references") {
    check_markdown(
        {{"<p>a<sup id=r><a href='#n'>x</a></sup> b<sup><a href='#n'>x</a></sup></p><ol><li id=n><p>One <a "
          "href='#r'>↩</a></p><p>Two</p></li></ol>",
          "a[^x] b[^x]\n\n[^x]: One\n\n    Two"}});
}

TEST_CASE("numbers in brackets refer to the literature") {
    check_markdown({
        {"<p>a <a href='#b2'>[2]</a></p><ol><li id=b1>One<li id=b2>Two</ol>",
         "a [^2]\n\n1. One\n\n[^2]: Two"},
        {"<p>a <a href='#r1'>[1]</a></p><div class=references><div><a id=r1>1.</a> <i>Book</i></div></div>",
         "a [^1]\n\n[^1]: *Book*"},
        {"<p>a <a href='#s1'>[1]</a></p><p id=s1>Text</p>", "a [\\[1\\]](#s1)\n\nText"},
    });
}

TEST_CASE("other raised links stay links") {
    check_markdown({
        {"<p>a<sup><a href='#s'>1</a></sup></p><h2 id=s>S</h2>", "a<sup>[1](#s)</sup>\n\n## S"},
        {"<p>a<sup><a href='#p'>1</a></sup></p><p id=p>Ordinary paragraph</p>",
         "a<sup>[1](#p)</sup>\n\nOrdinary paragraph"},
    });
}

}  // namespace quarry::extract
