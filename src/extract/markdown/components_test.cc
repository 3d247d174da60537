#include "extract/markdown/cases_test.h"

namespace quarry::extract {

TEST_CASE("admonitions of every generator become alerts") {
    check_markdown({
        {"<div class='admonition note'><p class=admonition-title>Note</p><p>a</p></div>", "> [!NOTE]\n> a"},
        {"<div class='admonition tip'><p class=admonition-title>Try it</p><p>a</p></div>",
         "> [!TIP]\n> **Try it**\n>\n> a"},
        {"<div class='theme-admonition theme-admonition-danger alert'><div "
         "class=admonitionHeading_x>danger</div><div><p>a</p></div></div>",
         "> [!CAUTION]\n> a"},
        {"<div class='markdown-alert markdown-alert-important'><p "
         "class=markdown-alert-title><svg></svg>Important</p><p>a</p></div>",
         "> [!IMPORTANT]\n> a"},
        {"<div class='custom-block warning'><p class=custom-block-title>WARNING</p><p>a</p></div>",
         "> [!WARNING]\n> a"},
        {"<details class='admonition info'><summary class=admonition-title>More</summary><p>a</p></details>",
         "> [!NOTE]\n> **More**\n>\n> a"},
        {"<div class='admonitionblock caution'><table><tr><td class=icon>Caution</td><td "
         "class=content>a</td></table></div>",
         "> [!CAUTION]\n> a"},
        {"<div class='alert alert-warning'>a<ul><li>b</ul></div>", "> [!WARNING]\n> a\n>\n> - b"},
        {"<div class=admonition><p class=admonition-title>Topic</p><p>a</p></div>", "> **Topic**\n>\n> a"},
    });
}

TEST_CASE("a box that is no admonition is ordinary text") {
    check_markdown({
        {"<div class=alert>a</div>", "a"},
        {"<div class='alert alert-danger'></div><p>a</p>", "a"},
    });
}

TEST_CASE("details show their summary and what they hide") {
    check_markdown({{"<details><summary>More</summary><p>a</p></details>", "**More**\n\na"}});
}

TEST_CASE("every panel of a tab set stands under its label") {
    check_markdown({
        {"<div><ul role=tablist><li role=tab>A</li><li role=tab>B</li></ul><div><div role=tabpanel>a</div>"
         "<div role=tabpanel hidden>b</div></div></div>",
         "**A**\n\na\n\n**B**\n\nb"},
        {"<div><div role=tablist><button role=tab id=t1>A</button><button role=tab id=t2>B</button></div>"
         "<div role=tabpanel aria-labelledby=t2>b</div><div role=tabpanel aria-labelledby=t1>a</div></div>",
         "**B**\n\nb\n\n**A**\n\na"},
        {"<div class=tabbed-set><div class=tabbed-labels><label>A</label><label>B</label></div><div "
         "class=tabbed-content>"
         "<div class=tabbed-block>a</div><div class=tabbed-block>b</div></div></div>",
         "**A**\n\na\n\n**B**\n\nb"},
        {"<div class=sd-tab-set><input type=radio><label class=sd-tab-label>A</label><div "
         "class=sd-tab-content>a</div></div>",
         "**A**\n\na"},
        {"<div role=tablist><a role=tab href=u>A</a></div><p>no panels</p>", "[A](u)\n\nno panels"},
    });
}

TEST_CASE("captions of figures are set apart") {
    check_markdown(
        {{"<figure><img src=a.png alt=A><figcaption>Cap</figcaption></figure>", "![A](a.png)\n\n*Cap*"}});
}

}  // namespace quarry::extract
