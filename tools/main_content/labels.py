"""Labels and weights of blocks, from the true text of their page."""
import re
from collections import Counter
import numpy as np

WORD = re.compile(r'\w+')
RUN = 3  # words in a row that count as found; rarer by chance than one word alone
LONG = 15  # words that make a block certain enough to judge others by

def label_pages(blocks, truth):
    label, weight = [], []
    for page, texts in blocks:
        entry = truth[page]
        if not texts: continue
        words = [WORD.findall(text.lower()) for text in texts]
        if entry['set'] == 'traf': own, own_weight = label_by_snippets(texts, words, entry)
        else: own, own_weight = label_by_text(words, entry['text'])
        label.append(own); weight.append(own_weight)
    return np.concatenate(label).astype(np.float32), np.concatenate(weight).astype(np.float32)

def label_by_text(words, text):
    true = WORD.findall(text.lower())
    own = run_labels(words, true)
    short_labels(words, true, own)
    counts = np.array([len(w) for w in words], np.float32)
    # Every page counts alike; one with little content and much else does not count for many.
    norm = max(len(true), counts.sum() / 6, 30)
    return own, (counts + 0.5) / norm * 100

def run_labels(words, true):
    """The share of the words of a block that lie in runs the true text has; -1 for blocks too short for a run.
    Each run of the truth is spent once: on long blocks first, then on the shorter ones that stand among content, so
    that a heading is not taken for its entry in the table of contents, or the text for its teaser."""
    runs = Counter(tuple(true[i:i + RUN]) for i in range(len(true) - RUN + 1))
    own = np.full(len(words), -1.0)
    first = np.array([coverage(block, runs) if len(block) > RUN else -1 for block in words])
    lengths = np.array([len(block) for block in words], float)
    for longest, shortest in ((10 ** 9, LONG), (LONG - 1, RUN + 1)):
        level = [at for at in range(len(words)) if shortest <= len(words[at]) <= longest]
        around = density(np.where(own >= 0, own, np.maximum(first, 0) * 0.3), lengths)
        for at in sorted(level, key=lambda at: (-round(first[at], 1), -round(around[at], 1), -len(words[at]), at)):
            own[at] = coverage(words[at], runs) if first[at] > 0 else 0
            if own[at] >= 0.5: runs.subtract(tuple(words[at][i:i + RUN]) for i in range(len(words[at]) - RUN + 1))
    return own

def coverage(block, runs):
    covered = np.zeros(len(block), bool)
    for i in range(len(block) - RUN + 1):
        if runs[tuple(block[i:i + RUN])] > 0: covered[i:i + RUN] = True
    return covered.mean()

def density(values, lengths, reach=8):
    """The mean of the values around each block, weighted by words."""
    window = np.ones(2 * reach + 1)
    convolve = lambda x: np.convolve(x, window)[reach:reach + len(x)]
    return convolve(values * lengths) / (convolve(lengths) + 2)

def short_labels(words, true, own):
    """Blocks of a few words are content if the true text has them and content stands around them; where it has
    them less often than the page, the places with most content around them win."""
    line = ' ' + ' '.join(true) + ' '
    lengths = np.array([len(block) + 0.2 for block in words], float)
    places = {}
    for at, block in enumerate(words):
        if own[at] < 0: places.setdefault(' '.join(block), []).append(at)
    found = np.where(own > 0.5, 1.0, 0.0)
    for phrase, where in places.items():
        if phrase and (' ' + phrase + ' ') in line: found[where] = 0.9
    near = density(found, lengths)
    for phrase, where in places.items():
        left = line.count(' ' + phrase + ' ') if phrase else 0
        for at in where: own[at] = 0 if phrase else 0.5
        for at in sorted(where, key=lambda at: -near[at])[:left]:
            if near[at] > 0.45: own[at] = 1

def label_by_snippets(texts, words, entry):
    normal = lambda text: re.sub(r'\s+', ' ', text).strip().lower()
    wanted, unwanted = [normal(s) for s in entry['with']], [normal(s) for s in entry['without']]
    own, weight = np.zeros(len(texts)), np.zeros(len(texts))
    for at, text in enumerate(texts):
        text = normal(text)
        yes, no = sum(s in text for s in wanted), sum(s in text for s in unwanted)
        if yes + no == 0: continue
        own[at] = yes / (yes + no); weight[at] = 12.0
    return own, weight
