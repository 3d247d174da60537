#include "extract/markdown/cases_test.h"

namespace quarry::extract {

TEST_CASE("code blocks are fenced and exact") {
    check_markdown({
        {"<pre><code>a\n  b\n\tc\n</code></pre>", "```\na\n  b\n\tc\n```"},
        {"<pre>*a* &lt;b&gt;</pre>", "```\n*a* <b>\n```"},
        {"<pre>```\nx</pre>", "````\n```\nx\n````"},
        {"<pre>a&nbsp;b\r\nc</pre>", "```\na b\nc\n```"},
        {"<pre>a<br>b</pre>", "```\na\nb\n```"},
        {"<pre></pre>", "```\n```"},
        {"<pre><span></span></pre>", ""},
        {"<p>a</p><div><pre>b</pre></div>c", "a\n\n```\nb\n```\n\nc"},
        {"<code><pre>a\nb</pre></code>", "```\na\nb\n```"},
        {"<code style='white-space: pre'>a\n  b</code>", "```\na\n  b\n```"},
    });
}

TEST_CASE("the language is found wherever a highlighter puts it") {
    check_markdown({
        {"<pre><code class='language-js'>x</code></pre>", "```js\nx\n```"},
        {"<pre class='lang-cpp prettyprint'>x</pre>", "```cpp\nx\n```"},
        {"<div class='highlight-python notranslate'><div class=highlight><pre>x</pre></div></div>",
         "```python\nx\n```"},
        {"<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>",
         "```\nx\n```"},
        {"<div class='highlight highlight-source-shell'><pre>x</pre></div>", "```shell\nx\n```"},
        {"<div class='highlight highlight-text-html-basic'><pre>x</pre></div>", "```html\nx\n```"},
        {"<div class='language-ruby highlighter-rouge'><div class=highlight><pre "
         "class=highlight><code>x</code></pre></div></div>",
         "```ruby\nx\n```"},
        {"<pre class='brush: php; gutter: false'>x</pre>", "```php\nx\n```"},
        {"<pre><code class='hljs rust'>x</code></pre>", "```rust\nx\n```"},
        {"<pre class=shiki data-language=ts><code>x</code></pre>", "```ts\nx\n```"},
        {"<pre class='sourceCode haskell'><code class='sourceCode haskell'>x</code></pre>",
         "```haskell\nx\n```"},
        {"<pre class=EnlighterJSRAW data-enlighter-language=java>x</pre>", "```java\nx\n```"},
        {"<pre class='src src-emacs-lisp'>x</pre>", "```emacs-lisp\nx\n```"},
        {"<pre><code class='language-none'>x</code></pre>", "```\nx\n```"},
        {"<pre class='wp-block-preformatted'>x</pre>", "```\nx\n```"},
    });
}

TEST_CASE("line numbers and buttons are not code") {
    check_markdown({
        {"<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td "
         "class=code><pre>a\nb</pre></table>",
         "```\na\nb\n```"},
        {"<table class=lntable><tr><td class=lntd><pre><code><span class=lnt>1\n</span></code></pre>"
         "<td class=lntd><pre><code class=language-c data-lang=c>a\n</code></pre></table>",
         "```c\na\n```"},
        {"<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "```\na\nb\n```"},
        {"<pre><code><table class=hljs-ln><tr><td class=hljs-ln-numbers "
         "data-line-number=1></td><td>a</td></tr>"
         "<tr><td class=hljs-ln-numbers data-line-number=2></td><td>b</td></tr></table></code></pre>",
         "```\na\nb\n```"},
        {"<pre><code>a</code><button class=copy>Copy</button></pre>", "```\na\n```"},
        {"<pre><div><span>1</span><div>a</div></div><div><span>2</span><div>b</div></div></pre>",
         "```\na\nb\n```"},
        {"<div class=syntaxhighlighter><table><tr><td class=gutter><div class=line>1</div></td><td "
         "class=code>"
         "<div class=container><div class=line><code>a</code></div><div "
         "class=line><code>b</code></div></div></td></table></div>",
         "```\na\nb\n```"},
    });
}

TEST_CASE("an editor shows its code and nothing around it") {
    check_markdown(
        {{"<pre><div>Python<button>Run</button></div><div class=cm-editor><div "
          "class=cm-content><span>a</span><br>"
          "<span>b</span></div></div></pre>",
          "```python\na\nb\n```"}});
}

TEST_CASE("every line is a line, however it is wrapped") {
    check_markdown({
        {"<pre><code><span class=line>a</span>\n<span class=line></span>\n<span "
         "class=line>b</span></code></pre>",
         "```\na\n\nb\n```"},
        {"<pre><code><span class=line>a</span><span class=line></span><span class=line>b</span></code></pre>",
         "```\na\n\nb\n```"},
        {"<pre><div class=line>a</div><div class=line><br></div><div class=line>b</div></pre>",
         "```\na\n\nb\n```"},
        {"<pre><code><span class=line><span class=cl>a\n</span></span><span class=line><span "
         "class=cl>b\n</span></span></code></pre>",
         "```\na\nb\n```"},
        {"<pre><ol><li>a<li>  b</ol></pre>", "```\na\n  b\n```"},
        {"<pre><span data-line>a</span>\n<span data-line>b</span></pre>", "```\na\nb\n```"},
    });
}

}  // namespace quarry::extract
