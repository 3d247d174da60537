"""The published metrics of the data sets: 4-gram shingle F1 (aeb, docsgen), word F1 (wcxb), snippet F1 (traf)."""
import os, re
from collections import Counter

WORD = re.compile(r'\w+')

def shingles(text, size=4):
    words = WORD.findall(text or '')
    return Counter(tuple(words[i:i + size]) for i in range(max(1, len(words) - size + 1))) if words else Counter()

def shingle_precision_recall(true, found):
    a, b = shingles(true), shingles(found)
    both = sum((a & b).values()); total_a, total_b = sum(a.values()), sum(b.values())
    return (both / total_b if total_b else None, both / total_a if total_a else None)

def word_f1(true, found):
    a, b = Counter(WORD.findall((true or '').lower())), Counter(WORD.findall(found.lower()))
    both = sum((a & b).values())
    return 2 * both / max(1, sum(a.values()) + sum(b.values())) if a or b else 1.

def normal(text): return re.sub(r'\s+', ' ', text).lower()

def mean(values): return sum(values) / max(1, len(values))

def page_scores(folder, truth):
    """{id: score of the page in its set's metric} for the sets with text."""
    out = {}
    for page, entry in truth.items():
        if not entry.get('text'): continue
        found = open(f'{folder}/{page}.txt', encoding='utf-8', errors='replace').read()
        out[page] = word_f1(entry['text'], found)
    return out

def report(folder, truth):
    groups, shingle, snippet = {}, {}, [0, 0, 0]
    for page, entry in truth.items():
        path = f'{folder}/{page}.txt'
        found = open(path, encoding='utf-8', errors='replace').read() if os.path.exists(path) else ''
        if entry['set'] == 'traf':
            text = normal(found); wanted = sum(normal(s) in text for s in entry['with'])
            snippet[0] += wanted; snippet[1] += len(entry['with']) - wanted
            snippet[2] += sum(normal(s) in text for s in entry['without'])
        elif entry['set'] == 'wcxb':
            for group in ('all', entry['type']): groups.setdefault(group, []).append(word_f1(entry['text'], found))
        else:
            shingle.setdefault(entry['set'], []).append(shingle_precision_recall(entry['text'], found))
    line = []
    for name, pairs in shingle.items():
        p = mean([p for p, _ in pairs if p is not None]); r = mean([r for _, r in pairs if r is not None])
        line.append(f'{name} {2 * p * r / max(1e-9, p + r):.4f} (P {p:.3f} R {r:.3f})')
    hit, missed, wrong = snippet
    line.append(f'traf {2 * hit / max(1, 2 * hit + missed + wrong):.4f} (missed {missed} wrong {wrong})')
    print('  ' + ', '.join(line))
    print('  wcxb ' + ', '.join(f'{name} {mean(values):.4f}' for name, values in sorted(groups.items())), flush=True)
