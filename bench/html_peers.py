"""Runs one extractor from PyPI on pages, for quality_html.py, in an environment of its own:
html_peers.py NAME OUT DIR writes {"seconds", "texts"} of the pages of a folder to OUT."""
import glob
import json
import os
import sys
import time


def extractor(name):
    if name == 'trafilatura':
        import trafilatura
        return trafilatura.extract
    if name == 'jusText':
        import justext
        stop = justext.get_stoplist('English')
        return lambda html: '\n'.join(p.text for p in justext.justext(html, stop) if not p.is_boilerplate)
    if name == 'readability':
        import lxml.html
        import readability
        return lambda html: lxml.html.fromstring(readability.Document(html).summary()).text_content()
    from resiliparse.extract.html2text import extract_plain_text
    return lambda html: extract_plain_text(html, main_content=name == 'resiliparse main')


def extract(function, html):
    """A page that an extractor rejects has no text."""
    try:
        return function(html) or ''
    except Exception as problem:
        print(f'{type(problem).__name__}: {problem}', file=sys.stderr)
        return ''


def main():
    name, out, folder = sys.argv[1:]
    pages = []
    for path in sorted(glob.glob(os.path.join(folder, '*.html'))):
        with open(path, encoding='utf8', newline='') as f:
            pages.append(f.read())
    function = extractor(name)
    start = time.process_time()
    texts = [extract(function, html) for html in pages]
    seconds = time.process_time() - start
    with open(out, 'w', encoding='utf8') as f:
        json.dump({'seconds': seconds, 'texts': texts}, f)


main()
