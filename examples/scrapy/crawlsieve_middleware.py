"""Scrapy beside crawlsieve: two middlewares for any spider.

`FollowVerdicts` publishes each page, waits for its verdict, and drops the links of pages that the
verdict says not to follow. `SkipSuppressed` drops requests whose score says not to fetch them.

Settings: CRAWLSIEVE_BOOTSTRAP (without it both are off), CRAWLSIEVE_PAGES, CRAWLSIEVE_VERDICTS,
CRAWLSIEVE_SCORES (topics), CRAWLSIEVE_PATIENCE (seconds that a page waits for its verdict).
"""

import asyncio
import base64
import json
import logging
import threading
import time

import confluent_kafka
from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request

logger = logging.getLogger(__name__)


class Crawlsieve:
    """Sends pages, and hears verdicts and scores on a thread of its own.

    One for each crawler. `verdict_of` belongs to the event loop.
    """

    def __init__(self, settings):
        bootstrap = settings["CRAWLSIEVE_BOOTSTRAP"]
        self._pages = settings.get("CRAWLSIEVE_PAGES", "crawl.pages")
        self._verdicts = settings.get("CRAWLSIEVE_VERDICTS", "crawl.verdicts")
        self._scores = settings.get("CRAWLSIEVE_SCORES", "crawl.url-scores")
        self._patience = settings.getfloat("CRAWLSIEVE_PATIENCE", 30)
        self._waiting = {}  # by record key, which a verdict has from its page
        self._advice = {}  # the latest score of each URL
        self._producer = confluent_kafka.Producer(
            {"bootstrap.servers": bootstrap, "linger.ms": 5})
        self._consumer = confluent_kafka.Consumer({
            "bootstrap.servers": bootstrap, "group.id": "scrapy",
            "isolation.level": "read_committed", "auto.offset.reset": "earliest"})
        self._consumer.subscribe([self._verdicts, self._scores])
        self._stopping = threading.Event()
        self._thread = None

    async def verdict_of(self, response):
        """Sends the page and waits for its verdict; None if none came in time."""
        loop = asyncio.get_running_loop()
        if self._thread is None:
            self._thread = threading.Thread(target=self._listen, args=(loop,), name="crawlsieve")
            self._thread.start()
        verdict = self._waiting[response.url] = loop.create_future()
        self._producer.produce(self._pages, json.dumps(_record(response)), response.url)
        self._producer.poll(0)
        try:
            return await asyncio.wait_for(verdict, self._patience)
        except asyncio.TimeoutError:
            logger.warning("no verdict of %s within %s s", response.url, self._patience)
            return None
        finally:
            self._waiting.pop(response.url, None)

    def advice_on(self, url):
        """The URL's latest score, or None."""
        return self._advice.get(url)

    def close(self):
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._producer.flush(self._patience)
        self._consumer.close()

    def _listen(self, loop):
        while not self._stopping.is_set():
            record = self._consumer.poll(0.1)
            if record is None:
                continue
            if record.error():
                logger.warning("crawlsieve: %s", record.error())
                continue
            value = json.loads(record.value())
            if record.topic() == self._scores:
                self._advice[value["url"]] = value
            else:
                loop.call_soon_threadsafe(self._resolve, record.key().decode(), value)

    def _resolve(self, key, verdict):
        waiting = self._waiting.get(key)
        if waiting is not None and not waiting.done():
            waiting.set_result(verdict)


def _record(response):
    """A page as scrapy-cluster writes it to its topics."""
    return {
        "appid": "scrapy", "crawlid": "guide", "url": response.request.url,
        "response_url": response.url, "status_code": response.status, "status_msg": "OK",
        "response_headers": {name.decode("latin-1"): b", ".join(values).decode("latin-1")
                             for name, values in response.headers.items()},
        "body": base64.b64encode(response.body).decode(), "body_encoding": "base64",
        "encoding": getattr(response, "encoding", None), "attrs": {},
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _crawlsieve_of(crawler):
    if not crawler.settings["CRAWLSIEVE_BOOTSTRAP"]:
        raise NotConfigured
    if not hasattr(crawler, "crawlsieve"):
        crawler.crawlsieve = Crawlsieve(crawler.settings)
        crawler.signals.connect(crawler.crawlsieve.close, signals.engine_stopped)
    return crawler.crawlsieve


class FollowVerdicts:
    """Spider middleware."""

    def __init__(self, crawler):
        self._crawlsieve = _crawlsieve_of(crawler)
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_spider_output(self, response, result, spider):
        verdict = await self._crawlsieve.verdict_of(response)
        follow = verdict is None or verdict["follow_links"]
        if verdict is not None:
            self._stats.inc_value(f"crawlsieve/{verdict['verdict']}/{verdict['reason']}")
        async for output in result:
            if follow or not isinstance(output, Request):
                yield output


class SkipSuppressed:
    """Downloader middleware."""

    def __init__(self, crawler):
        self._crawlsieve = _crawlsieve_of(crawler)
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_request(self, request, spider):
        advice = self._crawlsieve.advice_on(request.url)
        if advice is None or advice["fetched"]:
            return None
        if advice["action"] == "suppress":
            self._stats.inc_value("crawlsieve/suppressed")
            raise IgnoreRequest(f"crawlsieve: {advice['reason']}")
        if advice["action"] == "rewrite":
            self._stats.inc_value("crawlsieve/rewritten")
            return request.replace(url=advice["rewrite_to"], dont_filter=False)
        return None
