#include "extract/markdown/cases_test.h"

namespace quarry::extract {

TEST_CASE("emphasis is written with delimiters, without the spaces at its edges") {
    check_markdown({
        {"<p>an <em>em</em>, <i>i</i>, <strong>strong</strong> and <b>b</b></p>",
         "an *em*, *i*, **strong** and **b**"},
        {"<p>a<b> b </b>c</p>", "a **b** c"},
        {"<p>a <b></b> b<i> </i>c</p>", "a b c"},
        {"<p>in<b>side</b>word</p>", "in**side**word"},
        {"<p><s>a</s> <del>b</del> <strike>c</strike></p>", "~~a~~ ~~b~~ ~~c~~"},
        {"<p><cite>a</cite> <dfn>b</dfn> <var>c</var></p>", "*a* *b* *c*"},
    });
}

TEST_CASE("emphasis that touches or repeats is written once") {
    check_markdown({
        {"<em>Foo</em><em>Bar</em>", "*FooBar*"},
        {"<em>Foo</em> <em>Bar</em>", "*Foo* *Bar*"},
        {"<b>a</b><span><strong>b</strong></span>", "**ab**"},
        {"<b><strong>x</strong></b>", "**x**"},
        {"<em>a <em>b</em> c</em>", "*a _b_ c*"},
        {"<b>Bold</b><i>Italic</i>", "**Bold***Italic*"},
        {"<em><strong>x</strong></em>", "***x***"},
        {"<strong><em>x</em></strong>", "**_x_**"},
        {"<strong><em>a</em> b</strong>", "***a* b**"},
    });
}

TEST_CASE("emphasis that delimiters cannot express becomes a tag") {
    check_markdown({
        {"<p>before<em>.middle.</em>after</p>", "before<em>.middle.</em>after"},
        {"<p>这是<strong>“强调”</strong>的</p>", "这是<strong>“强调”</strong>的"},
        {"<p>a<em>→</em>b</p>", "a<em>→</em>b"},
        {"<p><del>a</del><strong>.b.</strong><del>c</del></p>", "~~a~~<strong>.b.</strong>~~c~~"},
        {"<p><strong>a)</strong><em>b</em></p>", "<strong>a)</strong>*b*"},
        {"<p>one <em>(two)</em> three</p>", "one *(two)* three"},
    });
}

TEST_CASE("formats around blocks are written inside of each block") {
    check_markdown({
        {"<b>one<p>two</p>three</b>", "**one**\n\n**two**\n\n**three**"},
        {"<a href=u><h2>Title</h2><p>Text</p></a>", "## [Title](u)\n\n[Text](u)"},
    });
}

TEST_CASE("what markdown would misread is escaped, and nothing else") {
    check_markdown({
        {"<p>*a* _b_ `c` [d](e)</p>", "\\*a\\* \\_b\\_ \\`c\\` [d\\](e)"},
        {"<p>snake_case 2 * 3 a_b_c [1] a &lt; b AT&T</p>", "snake_case 2 * 3 a_b_c [1] a < b AT&T"},
        {"<p>&lt;b&gt; &amp;amp; &amp;#38; \\* C:\\dir</p>", "\\<b> \\&amp; \\&#38; \\\\\\* C:\\dir"},
        {"<p>~5 a~b~c ~~x~~ /~home</p>", "~5 a\\~b\\~c \\~\\~x\\~\\~ /~home"},
        {"<p><del>a ~5 b</del> <b>a * </b>c <b>\\ </b>d</p>", "~~a \\~5 b~~ **a \\*** c **\\\\** d"},
        {"<p>[^1] <span>[a]</span><span>(b)</span> [a]<b>(b)</b></p>", "\\[^1] [a\\](b) [a]**(b)**"},
        {"<p>wow!<a href=u>link</a></p>", "wow\\![link](u)"},
        {"<p><em>* a</em> <b>_ b *</b></p>", "*\\* a* **\\_ b \\***"},
        {"<p>it costs $5 or $6</p>", "it costs $5 or $6"},
    });
}

TEST_CASE("a line does not begin a block that the page has not") {
    check_markdown({
        {"<p># a</p><p>#a</p><p>####### a</p>", "\\# a\n\n#a\n\n####### a"},
        {"<p>- a</p><p>-a</p><p>+ a</p><p>* a</p>", "\\- a\n\n-a\n\n\\+ a\n\n\\* a"},
        {"<p>1. a</p><p>1.a</p><p>12) a</p><p>1234567890. a</p>",
         "1\\. a\n\n1.a\n\n12\\) a\n\n1234567890. a"},
        {"<p>> a</p><p>a<br>===</p><p>a<br>--- | ---</p><p>~~~</p>",
         "\\> a\n\na  \n\\===\n\na  \n\\--- | ---\n\n\\~\\~\\~"},
        {"<ul><li>[x] a</li><li><a href=u>x</a></li></ul>", "- \\[x] a\n- [x](u)"},
        {"<blockquote>[!NOTE]</blockquote>", "> \\[!NOTE]"},
        {"<a href=u>!x</a>", "[!x](u)"},
        {"<p><span>1</span><span>. a</span></p>", "1\\. a"},
    });
}

TEST_CASE("white space collapses and invisible characters go") {
    check_markdown({
        {"<p> a \n\t b </p>", "a b"},
        {"<p>a&nbsp;b&nbsp; c&#8239;d</p>", "a b c d"},
        {"<p>soft&shy;hyphen zero&#8203;width &#xFEFF;mark</p>", "softhyphen zerowidth mark"},
        {"<p>long<wbr>word</p>", "longword"},
    });
}

TEST_CASE("line breaks are hard, and two in a row begin a paragraph") {
    check_markdown({
        {"<p>a<br>b</p>", "a  \nb"},
        {"<p><br>a<br></p>", "a"},
        {"<p>a<br> <br>b</p>", "a\n\nb"},
        {"<h2>a<br>b</h2>", "## a b"},
        {"<p><em>a<br>b</em></p>", "*a  \nb*"},
    });
}

TEST_CASE("inline code holds its text as it is") {
    check_markdown({
        {"<p><code>a*b_c</code> <tt>t</tt> <samp>s</samp></p>", "`a*b_c` `t` `s`"},
        {"<p><code>a`b</code> <code>``</code> <code>`x`</code></p>", "``a`b`` ``` `` ``` `` `x` ``"},
        {"<p><code>\n a\n  b\n</code></p>", "`a b`"},
        {"<p><code>a</code><code>b</code><b><code>c</code></b></p>", "`ab`**`c`**"},
        {"<p><code>a<b>b</b> <i>c</i></code></p>", "`ab c`"},
        {"<p><code>Vec&lt;<a href=t>T</a>&gt;</code></p>", "`Vec<`[`T`](t)`>`"},
        {"<p>a<code></code>b</p>", "ab"},
    });
}

TEST_CASE("elements that GitHub's markdown keeps as HTML stay") {
    check_markdown({
        {"<p>H<sub>2</sub>O x<sup>2</sup> <sub></sub></p>", "H<sub>2</sub>O x<sup>2</sup>"},
        {"<p><kbd>Ctrl</kbd>+<kbd>C</kbd> <ins>new</ins></p>", "<kbd>Ctrl</kbd>+<kbd>C</kbd> <ins>new</ins>"},
        {"<p><q> quoted </q> <mark>m</mark> <abbr title=t>a</abbr></p>", "\"quoted\" m a"},
        {"<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp> 字<rt>ji</rt></ruby></p>", "漢(kan) 字(ji)"},
    });
}

TEST_CASE("links lead where they did") {
    check_markdown({
        {"<a href=/a title='T \"q\"'>text</a>", "[text](/a \"T \\\"q\\\"\")"},
        {"<a href=/a title=text>text</a>", "[text](/a)"},
        {"<a href='a b'>x</a> <a href='a(b'>y</a> <a href='a(b)'>z</a>", "[x](<a b>) [y](<a(b>) [z](a(b))"},
        {"<a href=''>x</a> <a>y</a> <a name=n>z</a>", "[x]() y z"},
        {"<a href='javascript:f()'>x</a> <a href=' JavaScript:f()'>y</a>", "x y"},
        {"<a href=u></a><a href=u> </a>a", "a"},
        {"<a href=u>a [b]</a>", "[a \\[b\\]](u)"},
        {"<a href='u?a=1&amp;copy;=2'>x</a>", "[x](u?a=1&amp;copy;=2)"},
        {"a<a href=u> b </a>c", "a [b](u) c"},
    });
}

TEST_CASE("a link that shows its destination is an autolink") {
    check_markdown({
        {"<a href='https://a.example/b_c'>https://a.example/b_c</a>", "<https://a.example/b_c>"},
        {"<a href='https://a.example/'>https://a.example</a>", "<https://a.example>"},
        {"<a href='mailto:a@b.example'>a@b.example</a>", "<a@b.example>"},
        {"<a href='a.example'>a.example</a>", "[a.example](a.example)"},
        {"<a href='https://a.example' title=t>https://a.example</a>",
         "[https://a.example](https://a.example \"t\")"},
    });
}

TEST_CASE("links and images are absolute against the base") {
    const url::Url base = url::Url::parse("https://a.example/b/c").value();

    CHECK(markdown_of("<a href=d>x</a> <img src=/i.png>", {.base = &base}) ==
          "[x](https://a.example/b/d) ![](https://a.example/i.png)");
    CHECK(markdown_of("<a href='#f'>x</a> <a href='http://['>y</a>", {.base = &base}) ==
          "[x](https://a.example/b/c#f) y");
}

TEST_CASE("images keep their alternative text and find their late sources") {
    check_markdown({
        {"<img src=a.png alt='A [b] *c*' title=T>", "![A \\[b\\] \\*c\\*](a.png \"T\")"},
        {"<img alt=nothing><img src=''>", ""},
        {"<img src='data:image/gif;base64,R0' alt=x>", ""},
        {"<img src='data:image/gif;base64,R0' data-src=real.png alt=x>", "![x](real.png)"},
        {"<img src=t.gif width=1 height=1>", ""},
        {"<picture><source srcset=big.webp><img src=small.jpg></picture>", "![](small.jpg)"},
        {"<a href=u><img src=a.png></a>", "[![](a.png)](u)"},
    });
    CHECK(markdown_of("<img src='data:image/gif;base64,R0'>", {.keep_data_images = true}) ==
          "![](data:image/gif;base64,R0)");
}

TEST_CASE("media become links") {
    check_markdown({
        {"<p>a <video src=v.mp4>no video</video> b</p>", "a [v.mp4](v.mp4) b"},
        {"<audio><source src=a.mp3><source src=a.ogg></audio>", "[a.mp3](a.mp3)"},
    });
}

}  // namespace quarry::extract
