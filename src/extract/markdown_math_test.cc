#include "extract/markdown_cases.h"

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

}  // namespace quarry::extract
