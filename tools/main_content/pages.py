"""The data sets: unpacked for dump_blocks, and its block texts read back."""
import gzip, json, os

SETS = ('aeb', 'wcxb', 'traf', 'docsgen')

def unpack(data, work):
    """Writes WORK/list.tsv and the pages; returns {id: truth}, with the set's name in 'set'."""
    truth = {}
    os.makedirs(f'{work}/pages', exist_ok=True)
    with open(f'{work}/list.tsv', 'w') as listing:
        for name in SETS:
            for page, entry in sorted(json.load(open(f'{data}/{name}/truth.json')).items()):
                truth[page] = dict(entry, set=name)
                path = f'{work}/pages/{page}.html'
                if not os.path.exists(path):
                    with open(path, 'wb') as file: file.write(gzip.open(f'{data}/{name}/pages/{page}.html.gz').read())
                listing.write(f'{page}\t{path}\n')
    return truth

def read_texts(path):
    """[(id, [text of block, ...]), ...] in the order of the rows."""
    pages, left = [], 0
    for line in open(path, encoding='utf-8', errors='replace', newline='\n'):
        if left == 0:
            _, page, count = line.split(); left = int(count); pages.append((page, []))
        else:
            pages[-1][1].append(line.rstrip('\n')); left -= 1
    return pages
