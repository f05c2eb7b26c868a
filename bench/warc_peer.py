"""Reads the documents of a WARC file by FastWARC, as bench/warc measures it: warc_peer.py INPUT
[--digests]. Each HTTP header is parsed and each payload is read. Prints one JSON object: documents,
bytes of payloads, and seconds by the clock and of the processor."""
import json
import sys
import time

from fastwarc.warc import ArchiveIterator, WarcRecordType

start, processor, documents, size = time.perf_counter(), time.process_time(), 0, 0
with open(sys.argv[1], 'rb') as file:
    for record in ArchiveIterator(file, record_types=WarcRecordType.response | WarcRecordType.conversion,
                                  parse_http=True, verify_digests='--digests' in sys.argv):
        documents += 1
        size += len(record.reader.read())
print(json.dumps({'documents': documents, 'bytes': size, 'seconds': time.perf_counter() - start,
                  'processor': time.process_time() - processor}))
