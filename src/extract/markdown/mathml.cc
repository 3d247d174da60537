#include "extract/markdown/mathml_symbols.h"

#include <algorithm>
#include <array>

namespace quarry::extract {

namespace {

struct Symbol {
    std::string_view character;
    std::string_view tex;
};

// Sorted by the characters' bytes. The invisible operators (function application, times) become a blank.
constexpr auto symbols = std::to_array<Symbol>({{"#", "\\#"},
                                                {"$", "\\$"},
                                                {"%", "\\%"},
                                                {"&", "\\&"},
                                                {"_", "\\_"},
                                                {"{", "\\{"},
                                                {"}", "\\}"},
                                                {"\xC2\xA0", "\\ "},
                                                {"¬", "\\neg"},
                                                {"±", "\\pm"},
                                                {"·", "\\cdot"},
                                                {"×", "\\times"},
                                                {"÷", "\\div"},
                                                {"Γ", "\\Gamma"},
                                                {"Δ", "\\Delta"},
                                                {"Θ", "\\Theta"},
                                                {"Λ", "\\Lambda"},
                                                {"Ξ", "\\Xi"},
                                                {"Π", "\\Pi"},
                                                {"Σ", "\\Sigma"},
                                                {"Υ", "\\Upsilon"},
                                                {"Φ", "\\Phi"},
                                                {"Ψ", "\\Psi"},
                                                {"Ω", "\\Omega"},
                                                {"α", "\\alpha"},
                                                {"β", "\\beta"},
                                                {"γ", "\\gamma"},
                                                {"δ", "\\delta"},
                                                {"ε", "\\varepsilon"},
                                                {"ζ", "\\zeta"},
                                                {"η", "\\eta"},
                                                {"θ", "\\theta"},
                                                {"ι", "\\iota"},
                                                {"κ", "\\kappa"},
                                                {"λ", "\\lambda"},
                                                {"μ", "\\mu"},
                                                {"ν", "\\nu"},
                                                {"ξ", "\\xi"},
                                                {"π", "\\pi"},
                                                {"ρ", "\\rho"},
                                                {"ς", "\\varsigma"},
                                                {"σ", "\\sigma"},
                                                {"τ", "\\tau"},
                                                {"υ", "\\upsilon"},
                                                {"φ", "\\varphi"},
                                                {"χ", "\\chi"},
                                                {"ψ", "\\psi"},
                                                {"ω", "\\omega"},
                                                {"ϑ", "\\vartheta"},
                                                {"ϕ", "\\phi"},
                                                {"ϵ", "\\epsilon"},
                                                {"‖", "\\Vert"},
                                                {"•", "\\bullet"},
                                                {"…", "\\dots"},
                                                {"′", "'"},
                                                {"″", "''"},
                                                {"\xE2\x81\xA1", ""},
                                                {"\xE2\x81\xA2", ""},
                                                {"\xE2\x81\xA3", ","},
                                                {"\xE2\x81\xA4", ""},
                                                {"ℂ", "\\mathbb{C}"},
                                                {"ℏ", "\\hbar"},
                                                {"ℑ", "\\Im"},
                                                {"ℓ", "\\ell"},
                                                {"ℕ", "\\mathbb{N}"},
                                                {"ℙ", "\\mathbb{P}"},
                                                {"ℚ", "\\mathbb{Q}"},
                                                {"ℜ", "\\Re"},
                                                {"ℝ", "\\mathbb{R}"},
                                                {"ℤ", "\\mathbb{Z}"},
                                                {"ℵ", "\\aleph"},
                                                {"←", "\\leftarrow"},
                                                {"↑", "\\uparrow"},
                                                {"→", "\\to"},
                                                {"↓", "\\downarrow"},
                                                {"↔", "\\leftrightarrow"},
                                                {"↦", "\\mapsto"},
                                                {"⇐", "\\Leftarrow"},
                                                {"⇒", "\\Rightarrow"},
                                                {"⇔", "\\Leftrightarrow"},
                                                {"∀", "\\forall"},
                                                {"∂", "\\partial"},
                                                {"∃", "\\exists"},
                                                {"∅", "\\emptyset"},
                                                {"∇", "\\nabla"},
                                                {"∈", "\\in"},
                                                {"∉", "\\notin"},
                                                {"∋", "\\ni"},
                                                {"∏", "\\prod"},
                                                {"∐", "\\coprod"},
                                                {"∑", "\\sum"},
                                                {"−", "-"},
                                                {"∓", "\\mp"},
                                                {"∖", "\\setminus"},
                                                {"∗", "\\ast"},
                                                {"∘", "\\circ"},
                                                {"√", "\\surd"},
                                                {"∝", "\\propto"},
                                                {"∞", "\\infty"},
                                                {"∠", "\\angle"},
                                                {"∣", "\\mid"},
                                                {"∥", "\\parallel"},
                                                {"∧", "\\land"},
                                                {"∨", "\\lor"},
                                                {"∩", "\\cap"},
                                                {"∪", "\\cup"},
                                                {"∫", "\\int"},
                                                {"∬", "\\iint"},
                                                {"∭", "\\iiint"},
                                                {"∮", "\\oint"},
                                                {"∼", "\\sim"},
                                                {"≃", "\\simeq"},
                                                {"≅", "\\cong"},
                                                {"≈", "\\approx"},
                                                {"≠", "\\ne"},
                                                {"≡", "\\equiv"},
                                                {"≤", "\\le"},
                                                {"≥", "\\ge"},
                                                {"≪", "\\ll"},
                                                {"≫", "\\gg"},
                                                {"≺", "\\prec"},
                                                {"≻", "\\succ"},
                                                {"⊂", "\\subset"},
                                                {"⊃", "\\supset"},
                                                {"⊆", "\\subseteq"},
                                                {"⊇", "\\supseteq"},
                                                {"⊕", "\\oplus"},
                                                {"⊗", "\\otimes"},
                                                {"⊢", "\\vdash"},
                                                {"⊥", "\\perp"},
                                                {"⊨", "\\models"},
                                                {"⋅", "\\cdot"},
                                                {"⋆", "\\star"},
                                                {"⋮", "\\vdots"},
                                                {"⋯", "\\cdots"},
                                                {"⋱", "\\ddots"},
                                                {"⌈", "\\lceil"},
                                                {"⌉", "\\rceil"},
                                                {"⌊", "\\lfloor"},
                                                {"⌋", "\\rfloor"},
                                                {"△", "\\triangle"},
                                                {"⟨", "\\langle"},
                                                {"⟩", "\\rangle"},
                                                {"⟶", "\\longrightarrow"},
                                                {"⟹", "\\implies"},
                                                {"⟺", "\\iff"},
                                                {"𝔼", "\\mathbb{E}"}});
static_assert(std::ranges::is_sorted(symbols, {}, &Symbol::character));

constexpr auto accents = std::to_array<Symbol>(
    {{"^", "\\hat"},     {"~", "\\tilde"},    {"¨", "\\ddot"}, {"¯", "\\bar"},   {"´", "\\acute"},
     {"ˆ", "\\hat"},     {"ˇ", "\\check"},    {"ˉ", "\\bar"},  {"˘", "\\breve"}, {"˙", "\\dot"},
     {"˜", "\\tilde"},   {"̂", "\\hat"},       {"̃", "\\tilde"}, {"̄", "\\bar"},    {"̇", "\\dot"},
     {"̈", "\\ddot"},     {"‾", "\\overline"}, {"→", "\\vec"},  {"⃗", "\\vec"},    {"⏞", "\\overbrace"},
     {"―", "\\overline"}});

constexpr auto functions = std::to_array<std::string_view>(
    {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc",    "deg",    "det",
     "dim",    "exp",    "gcd",    "hom", "inf", "ker",  "lg",  "lim",  "liminf", "limsup", "ln",
     "log",    "max",    "min",    "sec", "sin", "sinh", "sup", "tan",  "tanh"});

}  // namespace

std::size_t tex_symbol_length(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
    return length;
}

std::string_view tex_symbol(std::string_view character) {
    const auto* found = std::ranges::lower_bound(symbols, character, {}, &Symbol::character);
    return found != symbols.end() && found->character == character ? found->tex : "";
}

std::string_view tex_accent(std::string_view character) {
    const auto* found = std::ranges::find(accents, character, &Symbol::character);
    return found == accents.end() ? "" : found->tex;
}

bool is_tex_function(std::string_view name) {
    return std::ranges::binary_search(functions, name);
}

}  // namespace quarry::extract
