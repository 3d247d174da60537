#!/usr/bin/python3
"""Trains the main-content model: writes main_content_model.inc and vocabulary.inc.

    train.py --data DIR --tools BUILD/src/extract [--folds 5] [--write src/extract/content]

DIR holds the sets aeb, wcxb, traf and docsgen (pages/<id>.html.gz and truth.json each). Every page is cut into
blocks by dump_blocks; a block's label is the share of its words that the page's true text has at that place.
Folds are by site, so the printed cross-validated scores are those of sites the model has not seen; what the second
look learns from the first are judgements of sites the first has not seen either.
TOOLS is where dump_blocks and boost_trees were built. Needs numpy."""
import argparse, os, subprocess, sys, zlib
import numpy as np
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import boosting, labels, pages, scores, vocabulary

DEPTH = 5  # of the trees; tree_ensemble.h has the same
TREES = 120

class Trainer:
    def __init__(self, arguments):
        self.arguments, self.work, self.folds = arguments, arguments.work, arguments.folds
        os.makedirs(self.work, exist_ok=True)
        self.truth = pages.unpack(arguments.data, self.work)
        self.dump('features', f'{self.work}/list.tsv', f'{self.work}/all')
        self.blocks = pages.read_texts(f'{self.work}/all.texts')
        self.page_of = np.concatenate([np.full(len(texts), n) for n, (_, texts) in enumerate(self.blocks)])
        self.label, self.weight = labels.label_pages(self.blocks, self.truth)
        self.page_fold = np.array([zlib.crc32(self.truth[page]['site'].encode()) % self.folds for page, _ in self.blocks])
        self.fold = self.page_fold[self.page_of]

    def dump(self, *arguments):
        return subprocess.run([f'{self.arguments.tools}/dump_blocks', *arguments], check=True, capture_output=True, text=True).stdout.split('\n')

    def samples(self):
        """(fold, sample) for the two vocabularies: words of short texts, and words of names."""
        self.dump('names', f'{self.work}/list.tsv', f'{self.work}/names')
        names = pages.read_texts(f'{self.work}/names.texts')
        text_samples, name_samples, at = [], [], 0
        for n, ((page, texts), (_, lines)) in enumerate(zip(self.blocks, names)):
            site, fold = self.truth[page]['site'], self.page_fold[n]
            for text, line in zip(texts, lines):
                label, weight = self.label[at], self.weight[at]; at += 1
                if weight == 0: continue
                words = labels.WORD.findall(text.lower())
                if len(words) <= vocabulary.LONGEST_BLOCK: text_samples.append((fold, (site, set(words), label, 1.0)))
                name_samples.append((fold, (site, line.split(), label, min(len(words), 30) + 1.0)))
        return text_samples, name_samples

    def learn_vocabulary(self, samples, without, path):
        with open(path, 'w') as file:
            learnt = {}
            for kind, entries in zip(('text', 'name'), samples):
                learnt[kind] = vocabulary.learn(sample for fold, sample in entries if fold != without)
                for word, weight in learnt[kind]: file.write(f'{kind} {word} {weight}\n')
        return learnt

    def first_rows(self):
        """Each fold described with a vocabulary that its sites had no part in."""
        samples = self.samples(); rows = None
        lines = open(f'{self.work}/list.tsv').read().split('\n')
        for fold in range(self.folds):
            path = f'{self.work}/vocabulary-{fold}'
            self.learn_vocabulary(samples, fold, path)
            with open(f'{self.work}/fold.tsv', 'w') as listing: listing.write(''.join(line + '\n' for line, own in zip(lines, self.page_fold) if own == fold))
            self.dump('features', f'{self.work}/fold.tsv', f'{self.work}/fold', f'vocabulary={path}')
            part = np.fromfile(f'{self.work}/fold.rows', np.uint8).reshape((self.fold == fold).sum(), -1)
            if rows is None: rows = np.zeros((len(self.label), part.shape[1]), np.uint8)
            rows[self.fold == fold] = part
        self.learnt = self.learn_vocabulary(samples, -1, f'{self.work}/vocabulary')
        return rows

    def with_context(self, rows, likely):
        quantise(likely).tofile(f'{self.work}/context.likely')
        self.dump('context', f'{self.work}/list.tsv', f'{self.work}/context.likely', f'{self.work}/context')
        joined = np.fromfile(f'{self.work}/context.rows', np.uint8).reshape(len(likely), -1)
        return np.concatenate([rows, joined[:, rows.shape[1]:]], axis=1)

    def choose(self, likely, name):
        folder = f'{self.work}/{name}'; os.makedirs(folder, exist_ok=True)
        quantise(likely).tofile(folder + '.likely')
        self.dump('choose', f'{self.work}/list.tsv', folder + '.likely', folder)
        return folder

    def boost(self, rows, name):
        """Judgements of all blocks by trees that have not seen their sites."""
        return boosting.boost(f'{self.arguments.tools}/boost_trees', rows, self.label, self.weight, self.fold, f'{self.work}/{name}',
                              depth=DEPTH, trees=TREES, cross=0 if self.arguments.write else 1)

def quantise(probabilities):
    return np.clip(np.rint(probabilities * 255), 0, 255).astype(np.uint8)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--data', required=True); parser.add_argument('--tools', required=True)
    parser.add_argument('--work', default='/dev/shm/main-content'); parser.add_argument('--folds', type=int, default=5)
    parser.add_argument('--write')
    arguments = parser.parse_args()
    trainer = Trainer(arguments)
    print('the labels themselves'); scores.report(trainer.choose(trainer.label, 'labels'), trainer.truth)
    rows = trainer.first_rows()
    print(f'{len(trainer.blocks)} pages, {len(rows)} blocks, {rows.shape[1]} features', flush=True)
    first = trainer.boost(rows, 'first')
    print('cross-validated, first look'); scores.report(trainer.choose(first, 'cv-first'), trainer.truth)
    joined = trainer.with_context(rows, first)
    second = trainer.boost(joined, 'second')
    print('cross-validated, second look'); scores.report(trainer.choose(second, 'cv-second'), trainer.truth)
    np.savez(f'{arguments.work}/judgements.npz', first=first, second=second, label=trainer.label, weight=trainer.weight, fold=trainer.fold)
    if not arguments.write: return
    looks = {name: f'{arguments.work}/{name}.trees' for name in ('first', 'second')}
    boosting.write(f'{arguments.write}/main_content_model.inc', looks, DEPTH)
    vocabulary.write(f'{arguments.write}/vocabulary.inc', trainer.learnt)
    names = trainer.dump('features', '/dev/null', f'{arguments.work}/none')[1:]
    for name, trees in looks.items():
        used = boosting.usage(trees, names, DEPTH)
        print(f'{name}:', ', '.join(f'{feature} {count:.1f}' for feature, count in used[:60]))
        print('  unused:', ', '.join(sorted(set(filter(None, names)) - {feature for feature, _ in used})))

if __name__ == '__main__':
    main()
