#include "extract/markdown/cases_test.h"

namespace quarry::extract {

TEST_CASE("formulas are written from their source where there is one") {
    check_markdown({
        {"<p>a <math><semantics><mi>x</mi><annotation "
         "encoding='application/x-tex'>x^2</annotation></semantics></math></p>",
         "a $x^2$"},
        {"<math display=block alttext='{\\displaystyle x}'><mi>y</mi></math>", "$$\nx\n$$"},
        {"<p><span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation "
         "encoding='application/x-tex'>x_1</annotation></semantics></math></span><span class=katex-html "
         "aria-hidden=true>x1</span></span></p>",
         "$x_1$"},
        {"<p>a<span class=MathJax>x2</span><script type='math/tex'>x^2</script></p>", "a$x^2$"},
        {"<p><script type='math/tex; mode=display'>a\n\n+b</script>", "$$\na\n+b\n$$"},
        {"<p><span class='math notranslate'>\\(a*b\\)</span></p><div class=math>\\[c\\]</div>",
         "$a*b$\n\n$$\nc\n$$"},
        {"<p>$5 <math><mi>x</mi></math></p>", "\\$5 $x$"},
    });
}

TEST_CASE("MathML without a source is translated") {
    check_markdown({
        {"<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "$\\frac{a}{b}$"},
        {"<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msub><mi>x</mi><mrow><mi>i</mi><mi>j</mi></"
         "mrow></msub></math>",
         "$x^2+x_{ij}$"},
        {"<math><msqrt><mn>2</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot></math>",
         "$\\sqrt{2}\\sqrt[3]{x}$"},
        {"<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>α</mi><mo>≤</mo><mi>sin</"
         "mi><mi>x</mi></math>",
         "$\\sum_i^n\\alpha \\le \\sin x$"},
        {"<math><mover><mi>x</mi><mo>¯</mo></mover><mtext>if </mtext></math>", "$\\bar{x}\\text{if }$"},
        {"<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></"
         "mtr></mtable></math>",
         "$\\begin{matrix} 1 & 2 \\\\ 3 \\end{matrix}$"},
    });
}

TEST_CASE("formulas are found in text, attributes and pictures") {
    check_markdown({
        {"<p>a \\(x_1\\) b \\[y^2\\] c</p>", "a $x_1$ b\n\n$$\ny^2\n$$\n\nc"},
        {"<p>$\\alpha_1$, $n$ and $$e=mc^2$$</p>", "$\\alpha_1$, $n$ and\n\n$$\ne=mc^2\n$$"},
        {"<p>$5 to $10, $ x $, \\(word\\)</p>", "$5 to $10, $ x $, \\\\(word\\\\)"},
        {"<p><span class=math-inline data-math='x^2'>x2</span></p>", "$x^2$"},
        {"<p><span class=mwe-math-element><span style='display:none'><math alttext='{\\displaystyle "
         "x}'><mi>x</mi></math></span>"
         "<img src=x.svg alt=x></span></p>",
         "$x$"},
        {"<p><mjx-container><mjx-math><mjx-mi>x</mjx-mi></mjx-math><mjx-assistive-mml><math><mi>x</mi></math>"
         "</mjx-assistive-mml></mjx-container></p>",
         "$x$"},
        {"<img class=latex src=f.png alt='x^2'>", "$x^2$"},
        {"<math><mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>a</mi></mtd></mlabeledtr></"
         "mtable></math>",
         "$a$"},
        {"<math><menclose notation=top><mi>A</mi></menclose></math>", "$\\overline{A}$"},
    });
}

}  // namespace quarry::extract
