"""Runs boost_trees, and writes its trees as the table the program compiles in."""
import subprocess
import numpy as np

def boost(program, rows, label, weight, fold, out, **settings):
    """Returns a judgement per row by trees that have not seen its fold; leaves the trees of all folds in OUT.trees."""
    samples = np.zeros(len(label), [('label', '<f4'), ('weight', '<f4'), ('fold', '<i4')])
    samples['label'], samples['weight'], samples['fold'] = label, weight, fold
    rows.tofile(out + '.input'); samples.tofile(out + '.samples')
    subprocess.run([program, out + '.input', str(rows.shape[1]), out + '.samples', out, *(f'{name}={value}' for name, value in settings.items())], check=True)
    return np.fromfile(out + '.likely', '<f4')

def read_trees(path, depth):
    inner = 2 ** depth - 1
    for line in open(path):
        numbers = line.split()
        yield numbers[:inner], numbers[inner:2 * inner], numbers[2 * inner:]

def write(path, looks, depth):
    with open(path, 'w') as file:
        file.write('// Written by tools/main_content/train.py: see docs/decisions/0004-learnt-main-content.md. Do not edit.\n// clang-format off\n')
        for name, trees in looks.items():
            file.write(f'constexpr DecisionTree {name}_look[] = {{\n')
            for parts in read_trees(trees, depth): file.write('{' + ','.join('{' + ','.join(part) + '}' for part in parts) + '},\n')
            file.write('};\n')
        file.write('// clang-format on\n')

def usage(trees, names, depth):
    """How often each feature is asked, upper levels counting more."""
    counts = {}
    for features, thresholds, _ in read_trees(trees, depth):
        for at, (feature, threshold) in enumerate(zip(features, thresholds)):
            if threshold != '255': counts[names[int(feature)]] = counts.get(names[int(feature)], 0) + 1 / (at + 1)
    return sorted(counts.items(), key=lambda entry: -entry[1])
