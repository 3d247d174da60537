// A page whose colours, fonts and logo are known.
#pragma once

namespace quarry::test {

inline constexpr const char* branded_page = R"(<!doctype html><html><head><title>Stones</title>
<meta property="og:site_name" content="Stones &amp; Co"><meta property="og:image" content="/share.png">
<link rel="icon" href="/favicon.svg" sizes="any"><link rel="apple-touch-icon" href="/touch.png">
<style>
:root { --color-primary: #7a1fa2; --color-success: hsl(120 100% 25%); }
body { margin: 0; background: #fafafa; color: #222; font: 17px/1.5 "Source Sans", Arial, sans-serif; }
header { background: #fff; padding: 16px; }
main { padding: 32px; }
h1 { font: 700 42px/1.25 "Playfair", Georgia, serif; color: #111; margin: 0 0 16px; }
p { margin: 0 0 16px; }
a { color: oklch(0.5 0.19 262); }
.note { color: #777; }
.buy { background: var(--color-primary); color: #fff; padding: 8px 16px; border: 0; border-radius: 6px; }
.more { background: transparent; color: #7a1fa2; border: 1px solid #7a1fa2; border-radius: 6px; }
input { border: 1px solid #bbb; border-radius: 6px; background: #fff; color: #000; }
</style></head><body>
<header><a href="/"><img class="logo" src="/logo.svg" width="120" height="40" alt="Stones"></a></header>
<main><h1>Stones of the yard</h1>
<p>Granite is solid and grey, and it is found where mountains have been worn down. <a href="/granite">Read on</a>.
Basalt is darker, and it breaks into columns which people have taken for the work of giants.</p>
<p class="note">All weights are of dry stone, as it leaves the yard.</p>
<form><input type="email"> <button class="buy" type="submit">Buy a stone</button>
<button class="more" type="button">See more</button></form>
<pre><code style="font-family: 'Fira Code', monospace">cut --along grain</code></pre></main></body></html>)";

}  // namespace quarry::test
