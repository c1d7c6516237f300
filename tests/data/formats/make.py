"""Makes the golden records of the input formats: one file of JSON lines for each.

    pip install --target DIR ujson==5.10.0 && PYTHONPATH=DIR python3 make.py
    cd katana && go run . > ../katana.jsonl      # with Katana's own types and serializer

Each line has the record's `name`, `key` (or null) and `value`, and what it must become: `url`,
`final_url`, `status`, `content_type`, `charset`, `fetch_time` (milliseconds), `kind` (bytes or
text), `body` (base64), `problem`, and `claim` (file, offset, length or null, digest, holds) if the
body lies elsewhere; or `failure`, the code of a dead letter; or `not_a_page`. README.md says which
serializer wrote what.
"""

import base64
import datetime
import json
import pathlib
import urllib.parse

import ujson

HERE = pathlib.Path(__file__).parent
TIME = datetime.datetime(2024, 5, 6, 7, 8, 9, 250000, datetime.timezone.utc)
MILLISECONDS = 1714979289250
HTML = ('<!DOCTYPE html><html><head><title>Größen &amp; Maße</title></head><body>'
        '<p>Ein Text über "Größen" — mit €, 日本語 und \U0001F600.</p>\n<a href=/x>x</a></body></html>')
TEXT = 'Größen & Maße\nEin Text über "Größen" mit / und \\ und 日本語.'
CYRILLIC = '<html><body><p>Съешь ещё этих мягких французских булок</p></body></html>'


def expected(url, body, kind='bytes', **fields):
    raw = body if isinstance(body, bytes) else body.encode()
    return {'url': url, 'final_url': '', 'status': 200, 'content_type': '', 'charset': '',
            'fetch_time': MILLISECONDS, 'kind': kind, 'body': base64.b64encode(raw).decode(),
            'problem': '', **fields}


def write(name, records):
    with open(HERE / f'{name}.jsonl', 'w', encoding='utf-8') as file:
        for title, key, value, want in records:
            file.write(json.dumps({'name': title, 'key': key, 'value': value, **want},
                                  ensure_ascii=False) + '\n')


def scrapy_cluster():
    def record(body, use_base64, encoding=None, status=200, **extra):
        item = {'appid': 'app', 'crawlid': 'c1', 'attrs': {'tag': ['a', 1]},
                'url': 'http://a.example/go', 'response_url': 'http://a.example/page',
                'status_code': status, 'status_msg': 'OK',
                'response_headers': {'Content-Type': ['text/html; charset=utf-8'], 'Server': ['x']},
                'request_headers': {'User-Agent': ['Scrapy']}, 'links': [], **extra}
        if encoding:
            item['encoding'] = encoding
        # As KafkaPipeline.process_item: bytes to base64, or to a string.
        item['body'] = (base64.b64encode(body).decode() if use_base64
                        else body.decode(encoding or 'utf-8'))
        item['timestamp'] = TIME.replace(tzinfo=None).isoformat()
        return ujson.dumps(item, sort_keys=True)

    page = {'final_url': 'http://a.example/page'}
    plain = {**page, 'content_type': 'text/html', 'charset': 'utf-8'}
    packed = {**page, 'content_type': 'text/html; charset=utf-8'}
    url = 'http://a.example/go'
    png = bytes([0x89]) + b'PNG\r\n\x1a\n' + bytes(range(256)) * 3
    write('scrapy_cluster', [
        ('string', None, record(HTML.encode(), False), expected(url, HTML, **plain)),
        ('base64', None, record(HTML.encode(), True), expected(url, HTML, **packed)),
        ('base64 with encoding', None, record(CYRILLIC.encode('cp1251'), True, 'windows-1251'),
         expected(url, CYRILLIC.encode('cp1251'), **packed, charset='windows-1251')),
        ('string with encoding', None, record(CYRILLIC.encode('cp1251'), False, 'windows-1251'),
         expected(url, CYRILLIC, **plain)),
        ('picture in base64', None, record(png, True), expected(url, png, **packed)),
        ('404 with body', None, record(b'<p>gone', False, status=404),
         expected(url, '<p>gone', status=404, **plain)),
        ('empty body', None, record(b'', True), expected(url, '', **plain)),
        ('one word', None, record(b'd41d8cd98f00b204e9800998ecf8427e', False),
         expected(url, 'd41d8cd98f00b204e9800998ecf8427e', **plain)),
        ('given up', None, 'json failed to parse', {'failure': 'crawler_error'}),
    ])


def nutch():
    def record(**fields):
        document = {'id': [url], 'url': [url], 'host': ['a.example'], 'digest': ['0' * 32],
                    'segment': ['20240506070809'], 'boost': ['1.0'], 'title': ['Größen & Maße'],
                    'tstamp': ['Mon May 06 07:08:09 UTC 2024'], 'type': ['html', 'text/html', 'text'],
                    **fields}
        return json.dumps({k: v for k, v in document.items() if v is not None},
                          ensure_ascii=False, separators=(',', ':'))

    url = 'http://a.example/page'
    seconds = {'fetch_time': MILLISECONDS - 250, 'content_type': 'text/html'}
    packed = base64.b64encode(HTML.encode()).decode()
    write('nutch', [
        ('text', None, record(content=[TEXT]), expected(url, TEXT, 'text', **seconds)),
        ('page in base64', None, record(content=[TEXT], binaryContent=[packed]),
         expected(url, HTML, **seconds)),
        ('page as a string', None, record(content=[TEXT], binaryContent=[HTML]),
         expected(url, HTML, **seconds, charset='utf-8')),
        ('no content', None, record(), expected(url, '', **seconds, problem='missing_body')),
        ('array of no content', None, record(content=[]),
         expected(url, '', **seconds, problem='missing_body')),
        ('two contents', None, record(content=['a', 'b']),
         expected(url, '', **seconds, problem='ambiguous_body')),
        ('two URLs', None, record(id=[url, url + '2']), {'failure': 'ambiguous_url'}),
        ('no URL', None, record(id=[], url=[]), {'failure': 'missing_url'}),
    ])


def escape_java(text):
    """As StringEscapeUtils.escapeJson of Commons Text: ASCII, and slashes escaped."""
    return json.dumps(text).replace('/', '\\/')


def norconex():
    def record(fields):
        members = []
        for name, values in fields:
            escaped = [escape_java(value) for value in values]
            value = escaped[0] if len(escaped) == 1 else f'[{",".join(escaped)}]'
            members.append(f'{escape_java(name)}:{value}')
        return '{' + ','.join(members) + '}\n'

    url = 'http://a.example/page?a=1&b=2'
    metadata = [('id', [url]), ('document.reference', [url]),
                ('document.contentType', ['text/html']), ('document.contentFamily', ['html']),
                ('document.contentEncoding', ['UTF-8']), ('Content-Type', ['text/html']),
                ('collector.depth', ['1']), ('keywords', ['a', 'b'])]
    want = {'content_type': 'text/html', 'fetch_time': None}
    write('norconex', [
        ('text', url, record(metadata + [('content', [TEXT])]), expected(url, TEXT, 'text', **want)),
        ('empty text', url, record(metadata + [('content', [''])]),
         expected(url, '', 'text', **want)),
        ('no content', url, record(metadata), expected(url, '', **want, problem='missing_body')),
        ('two contents', url, record(metadata + [('content', ['a', 'b'])]),
         expected(url, '', **want, problem='ambiguous_body')),
        ('deleted', url, None, {'tombstone': url}),
    ])


def ache():
    def dump(document):
        return json.dumps(document, ensure_ascii=False, separators=(',', ':'))

    url, final = 'http://a.example/go?q=a b', 'http://a.example/page'
    key = urllib.parse.quote_plus(url)
    headers = {'Content-Type': ['text/html; charset=utf-8'], 'Server': ['x']}
    relevance = {'isRelevant': True, 'relevance': 1.0}
    packed = base64.b64encode(HTML.encode()).decode()

    def as_json(**fields):
        return dump({'url': url, 'redirected_url': final, 'content': packed,
                     'content_type': 'text/html; charset=utf-8', 'response_headers': headers,
                     'fetch_time': MILLISECONDS, 'relevance': relevance, 'crawler_id': 'default',
                     **fields})

    def as_elastic(**fields):
        return dump({'domain': 'a.example', 'url': url, 'title': 'Größen & Maße', 'text': TEXT,
                     'retrieved': '2024-05-06T07:08:09.250+0000', 'words': ['ein', 'text'],
                     'wordsMeta': [], 'topPrivateDomain': 'a.example', 'html': HTML,
                     'responseHeaders': headers, 'isRelevant': 'relevant', 'relevance': 1.0,
                     'crawlerId': 'default', **fields})

    cdr = {'_id': 'AB' * 32, 'content_type': 'text/html; charset=utf-8', 'crawler': 'default',
           'objects': [], 'raw_content': HTML,
           'response_headers': {'Content-Type': 'text/html; charset=utf-8'},
           'timestamp_crawl': '2024-05-06T07:08:09Z', 'timestamp_index': '2024-05-06T07:08:10Z',
           'url': final, 'version': 3.1}
    typed = {'content_type': 'text/html; charset=utf-8'}
    plain = {'content_type': 'text/html', 'charset': 'utf-8'}
    write('ache', [
        ('JSON', key, as_json(), expected(url, HTML, final_url=final, **typed)),
        ('JSON without redirect', key, as_json(redirected_url=None), expected(url, HTML, **typed)),
        ('JSON without content', key, as_json(content=None),
         expected(url, '', final_url=final, **typed, problem='missing_body')),
        ('JSON with broken base64', key, as_json(content='PHA+*'),
         expected(url, '', final_url=final, **typed, problem='bad_encoding')),
        ('ELASTIC', key, as_elastic(), expected(url, HTML, **plain)),
        ('ELASTIC of a picture', key, as_elastic(html=None, text=None),
         expected(url, '', **typed, problem='missing_body')),
        ('CDR31', key, dump(cdr), expected(final, HTML, **plain, fetch_time=MILLISECONDS - 250)),
        ('deleted', key, None, {'tombstone': url}),
    ])


def canonical():
    url = 'http://a.example/page'
    base = {'schema_version': 1, 'url': url, 'status_code': 200,
            'fetch_time': '2024-05-06T07:08:09.250Z', 'content_type': 'text/html; charset=utf-8'}
    packed = base64.b64encode(HTML.encode()).decode()
    plain = {'content_type': 'text/html', 'charset': 'utf-8'}
    write('canonical', [
        ('string', None, json.dumps({**base, 'body': HTML}), expected(url, HTML, **plain)),
        ('base64', None, json.dumps({**base, 'body': packed, 'body_encoding': 'base64'}),
         expected(url, HTML, content_type='text/html; charset=utf-8')),
        ('text', None, json.dumps({**base, 'text': TEXT}),
         expected(url, TEXT, 'text', content_type='text/html; charset=utf-8')),
        *canonical_claims(),
    ])


def claim(file, offset, length=None, digest='', holds='warc'):
    return {'claim': {'file': file, 'offset': offset, 'length': length, 'digest': digest,
                      'holds': holds}}


def canonical_claims():
    url = 'http://a.example/page'
    base = {'schema_version': 1, 'url': url, 'status_code': 200,
            'fetch_time': '2024-05-06T07:08:09.250Z', 'content_type': 'text/html; charset=utf-8'}
    want = {'content_type': 'text/html; charset=utf-8'}
    sha256 = '0123456789abcdef' * 4

    def record(**ref):
        return json.dumps({**base, 'body_ref': ref})

    return [
        ('reference', None, record(uri='a/x.warc.gz', offset=12, length=345),
         {**expected(url, '', **want), **claim('a/x.warc.gz', 12, 345)}),
        ('reference with digest', None, record(file='x.warc.gz', offset='12', sha256=sha256),
         {**expected(url, '', **want), **claim('x.warc.gz', 12, None, 'sha256:' + sha256)}),
        ('reference to a body', None, record(file='x.html', holds='body', digest='sha1:' + 'A' * 32),
         {**expected(url, '', **want), **claim('x.html', 0, None, 'sha1:' + 'A' * 32, 'body')}),
        ('reference without a file', None, record(offset=12),
         expected(url, '', **want, problem='bad_body_ref')),
    ]


def heritrix():
    """As CrawlLogJsonBuilder puts the fields, with null where there is nothing; the order of its
    HashMap is arbitrary."""
    def record(**changed):
        return json.dumps({
            'timestamp': '2024-05-06T07:08:09.250Z', 'content_length': 1234, 'size': 1500,
            'status_code': 200, 'url': url, 'hop_path': 'LL', 'via': 'http://a.example/',
            'mimetype': 'text/html', 'thread': 7,
            'start_time_plus_duration': '20240506070808250+1000',
            'content_digest': digest, 'seed': 'http://a.example/', 'host': 'a.example',
            'annotations': '', 'warc_filename': name, 'warc_offset': 56789, 'extra_info': {},
            **changed}, ensure_ascii=False, separators=(',', ':')).replace('/', '\\/')

    url = 'http://a.example/größe?a=1'
    name = 'WEB-20240506070800123-00000-4711~host~8443.warc.gz'
    digest = 'sha1:PBS2CEF7B4OSEXZZF3QE2XN2VHYCPNPX'
    nothing = {'warc_filename': None, 'warc_offset': None, 'content_digest': None}
    html = {'content_type': 'text/html'}
    # As warcprox/kafkafeed.py writes it: fewer fields.
    warcprox = json.dumps({
        'timestamp': '2024-05-06T07:08:09.250Z', 'size': 1500, 'status_code': 200, 'url': url,
        'mimetype': 'text/html', 'content_digest': digest, 'warc_filename': name,
        'warc_offset': 56789, 'host': 'a.example', 'annotations': '', 'content_length': 1234,
        'start_time_plus_duration': '20240506070808250+1000'}, separators=(',', ':'))
    write('heritrix', [
        ('page', None, record(), {**expected(url, '', **html), **claim(name, 56789, None, digest)}),
        ('404', None, record(status_code=404),
         {**expected(url, '', status=404, **html), **claim(name, 56789, None, digest)}),
        ('no digest', None, record(content_digest=None),
         {**expected(url, '', **html), **claim(name, 56789)}),
        ('failed', None, record(status_code=-2, mimetype='unknown', size=None, content_length=None,
                                start_time_plus_duration=None, **nothing),
         expected(url, '', status=-2, content_type='unknown', problem='fetch_failed')),
        ('not written', None, record(**nothing), expected(url, '', **html, problem='missing_body')),
        ('name server', None, record(url='dns:a.example', status_code=1, mimetype='text/dns'),
         {'not_a_page': True}),
        ('negative offset', None, record(warc_offset=-1),
         expected(url, '', **html, problem='bad_body_ref')),
        ('warcprox', None, warcprox,
         {**expected(url, '', **html), **claim(name, 56789, None, digest)}),
    ])


def commoncrawl():
    """After the lines that https://commoncrawl.org/cdxj-index documents."""
    url = 'http://a.example/page'
    name = ('crawl-data/CC-MAIN-2024-22/segments/1715971057216.39/warc/'
            'CC-MAIN-20240506060000-20240506090000-00000.warc.gz')
    digest = 'RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU'
    fields = {'url': url, 'mime': 'text/html', 'mime-detected': 'text/html', 'status': '200',
              'digest': digest, 'length': '17423', 'offset': '80610731', 'filename': name,
              'languages': 'deu', 'encoding': 'UTF-8'}
    want = {**expected(url, '', content_type='text/html', fetch_time=MILLISECONDS - 250),
            **claim(name, 80610731, 17423, digest)}
    head = 'example,a)/page 20240506070809 '
    write('commoncrawl', [
        ('line', None, head + json.dumps(fields), want),
        ('answer of the index', None,
         json.dumps({'urlkey': 'example,a)/page', 'timestamp': '20240506070809', **fields}), want),
        ('404', None, head + json.dumps({**fields, 'status': '404'}), {**want, 'status': 404}),
        ('no length', None, head + json.dumps({k: v for k, v in fields.items() if k != 'length'}),
         {**want, **claim(name, 80610731, None, digest)}),
        ('wrong offset', None, head + json.dumps({**fields, 'offset': '1e9'}),
         expected(url, '', content_type='text/html', fetch_time=MILLISECONDS - 250,
                  problem='bad_body_ref')),
    ])


def fields():
    """Format `json`, as tests/consumer/input/formats/golden_test.cc configures it: an item of a
    Crawlee dataset."""
    def record(**item):
        return json.dumps({'request': {'url': 'http://a.example/go',
                                       'loadedUrl': 'http://a.example/page', 'retryCount': 0},
                           'response': {'status': 200,
                                        'headers': {'content-type': 'text/html; charset=utf-8'}},
                           'savedAt': '2024-05-06T07:08:09.250Z', **item}, ensure_ascii=False)

    url = 'http://a.example/go'
    want = {'final_url': 'http://a.example/page', 'content_type': 'text/html', 'charset': 'utf-8'}
    write('json', [
        ('page', None, record(html=HTML), expected(url, HTML, **want)),
        ('failed', None, record(html=None, response={'status': 503}),
         expected(url, '', final_url='http://a.example/page', status=503, problem='missing_body')),
        ('wrong body', None, record(html=['<p>']),
         expected(url, '', **want, problem='bad_encoding')),
        ('no URL', None, json.dumps({'request': {}, 'html': HTML}), {'failure': 'missing_url'}),
    ])


def browsertrix():
    """Lines of pages/*.jsonl: as py-wacz' serialize_json_pages and Browsertrix' writePage fill
    them."""
    def record(**changed):
        page = {'id': '1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'url': url, 'title': 'Größen & Maße',
                'loadState': 4, 'mime': 'text/html', 'seed': True, 'depth': 0, 'status': 200,
                'ts': '2024-05-06T07:08:09.250Z', 'favIconUrl': 'http://a.example/icon.png',
                'text': TEXT, **changed}
        return json.dumps({k: v for k, v in page.items() if v is not None}, ensure_ascii=False)

    url = 'http://a.example/page#part'
    html = {'content_type': 'text/html'}
    pywacz = json.dumps({'id': '1Xj9vvhfYjTn', 'url': url, 'ts': '2024-05-06T07:08:09Z',
                         'title': url, 'text': TEXT}, ensure_ascii=False)
    write('browsertrix', [
        ('page with text', None, record(), expected(url, TEXT, 'text', **html)),
        ('page without text', None, record(text=None),
         expected(url, '', **html, problem='missing_body')),
        ('404', None, record(status=404), expected(url, TEXT, 'text', status=404, **html)),
        ('py-wacz', None, pywacz, expected(url, TEXT, 'text', fetch_time=MILLISECONDS - 250)),
        ('first line', None, json.dumps({'format': 'json-pages-1.0', 'id': 'pages',
                                         'title': 'All Pages', 'hasText': True}),
         {'not_a_page': True}),
    ])


def corpus():
    """After the columns that the cards of FineWeb, C4 and Dolma document."""
    url, urn = 'http://a.example/page', '<urn:uuid:1b4e28ba-2fa1-11d2-883f-0016d3cca427>'
    fineweb = {'text': TEXT, 'id': urn, 'dump': 'CC-MAIN-2024-22', 'url': url,
               'date': '2024-05-06T07:08:09Z', 'file_path': 's3://commoncrawl/crawl-data/x.warc.gz',
               'language': 'de', 'language_score': 0.98, 'token_count': 20}
    seconds = {'fetch_time': MILLISECONDS - 250}

    def dump(document):
        return json.dumps(document, ensure_ascii=False)

    write('corpus', [
        ('FineWeb', None, dump(fineweb), expected(url, TEXT, 'text', **seconds)),
        ('C4', None, dump({'text': TEXT, 'timestamp': '2024-05-06T07:08:09Z', 'url': url}),
         expected(url, TEXT, 'text', **seconds)),
        ('Dolma', None, dump({'id': 'a1b2', 'text': TEXT, 'source': 'x',
                              'created': '2024-05-06T07:08:09.250Z', 'metadata': {'url': url}}),
         expected('a1b2', TEXT, 'text')),
        ('id alone', None, dump({'id': urn, 'text': TEXT}),
         expected(urn, TEXT, 'text', fetch_time=None)),
        ('number as id', None, dump({'id': 17, 'text': TEXT}),
         expected('17', TEXT, 'text', fetch_time=None)),
        ('no text', None, dump({'id': 'a1b2', 'text': None}),
         expected('a1b2', '', fetch_time=None, problem='missing_body')),
        ('neither', None, dump({'text': TEXT, 'meta': {}}), {'failure': 'missing_url'}),
    ])


for make in (scrapy_cluster, nutch, norconex, ache, canonical, heritrix, commoncrawl, browsertrix,
             corpus, fields):
    make()
