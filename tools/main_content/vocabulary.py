"""Weights of words: how much more often than other words they stand in content, site by site.

A word's rate is the mean over the sites that use it, so that no site's own names or phrases count for much, and is
drawn towards the common rate when few sites have it."""
import math
from collections import defaultdict

SITES_NEEDED, DRAW, MOST_WORDS = 8, 4.0, 700
LONGEST_BLOCK = 24  # words; longer text is prose and speaks for itself

def learn(samples):
    """samples: (site, words of a block, label, weight). Returns [(word, weight)] with weights of -127 to 127."""
    sums = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0])); base = [0.0, 0.0]
    for site, words, label, weight in samples:
        base[0] += label * weight; base[1] += weight
        for word in words:
            pair = sums[word][site]; pair[0] += label * weight; pair[1] += weight
    common = base[0] / max(base[1], 1e-9)
    logit = lambda p: math.log(p / (1 - p))
    out = []
    for word, sites in sums.items():
        if len(sites) < SITES_NEEDED: continue
        rate = (sum(yes / total for yes, total in sites.values()) + DRAW * common) / (len(sites) + DRAW)
        weight = round(24 * (logit(min(max(rate, 0.01), 0.99)) - logit(common)))
        if abs(weight) >= 12: out.append((word, max(-127, min(127, weight)), len(sites)))
    out.sort(key=lambda entry: -abs(entry[1]) * math.log(entry[2]))
    return sorted((word, weight) for word, weight, _ in out[:MOST_WORDS])

def write(path, learnt):
    with open(path, 'w') as file:
        file.write('// Written by tools/main_content/train.py. Do not edit.\n// clang-format off\n')
        for kind, words in learnt.items():
            file.write(f'constexpr WeightedWord {kind}_words[] = {{\n')
            line = ''
            for word, weight in words:
                entry = f'{{"{word}", {weight}}}, '
                if len(line) + len(entry) > 118: file.write(line.rstrip() + '\n'); line = ''
                line += entry
            file.write(line.rstrip() + '\n};\n')
        file.write('// clang-format on\n')
