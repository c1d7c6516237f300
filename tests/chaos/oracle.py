"""Decides every entry of an admission log again, by the rules of docs/verdicts.md and by comparing
with everything that is kept, one by one. Shares no code with the service."""

import base64
import dataclasses
import datetime
import re
import sys
import urllib.parse

import numpy

import schedule

ONE = 10_000  # scores are counted in ten-thousandths
LAST_TIME_MS = 253_402_300_800_000  # the year 10000

# reason: (verdict, inserts, retires own version, follow links, counts for host, novelty)
TABLE = {
    "unique": ("keep", True, False, True, "page", 10_000),
    "exact_duplicate": ("drop", False, True, False, "duplicate", 0),
    "near_duplicate": ("drop", False, True, False, "duplicate", 1_000),
    "unchanged": ("drop", False, False, False, None, 2_000),
    "updated": ("keep", True, True, True, "page", 10_000),
    "cluster_budget": ("keep", False, True, True, "duplicate", 3_000),
    "too_short": ("keep", False, True, True, "page", 3_000),
    "not_html": ("keep", True, True, False, "page", 5_000),
    "error_status": ("drop", False, False, False, None, 0),
    "deleted": ("drop", False, True, False, None, 0),
    "not_evaluated": ("keep", False, False, True, None, 5_000),
    "not_modified": ("drop", False, False, False, None, 2_000),
    "gone": ("drop", False, False, False, None, 0),
    "redirect": ("drop", False, False, False, None, 0),
    "outdated": ("drop", False, False, False, None, 0),
}

# Codes of `not_evaluated` that count for the host as duplicates do, from fold version 5 on.
LIMIT_CODES = {"body_too_large", "crashed", "decompression_ratio", "header_too_large", "parse_depth",
               "parse_memory", "parse_nodes", "parse_time", "parser_error", "too_many_tokens"}
MAX_GAPS = 64


class NotFoldable(Exception):
    """The log holds what no log may hold."""


@dataclasses.dataclass
class Document:
    """A live, kept version of a page."""

    sequence: int
    page: object
    scope: tuple = ()
    cluster_size: int = 1
    score: int = 0  # of its own URL, without novelty
    preferred: object = None  # (URL, score) of another URL of the cluster that goes before its own
    seen: int = 0  # hour of the log's clock


@dataclasses.dataclass
class Url:
    kept: int = 0
    representative: int = 0
    fetches: int = 0
    changes: int = 0
    interval: int = 0
    redirect: object = None  # where a temporary redirect led to, if the last visit was one
    schedule: object = dataclasses.field(default_factory=schedule.UrlSchedule)
    content: bytes = b""  # checksum of the last fetch that had content
    crawl: str = ""  # of the kept version, or else of the last fetch
    seen: int = 0
    written: int = 0  # sequence of the last change, where a purge that covers the URL was under way
    first_had: int = 0  # when visits had `content`, one after the other; 0: as of the last visit
    last_had: int = 0
    was_unread: bool = False  # since then, by a fetch that was not evaluated
    near: tuple = (0, 0)  # distance and similarity to the representative, where it isn't its content

    def had(self):
        return (self.first_had or self.schedule.last_visit, self.last_had or self.schedule.last_visit)

    def set_had(self, first, last):
        """After the visit is in the schedule."""
        visit = self.schedule.last_visit
        self.first_had, self.last_had = (0 if time == visit else time for time in (first, last))


@dataclasses.dataclass
class Mark:
    generation: int
    offset: int = -1
    gaps: list = dataclasses.field(default_factory=list)  # (from, to), in ascending order

    def fill(self, previous, offset):
        for i, (start, end) in enumerate(self.gaps):
            if start <= offset <= end:
                left = [(start, previous)] if start <= previous < offset else []
                right = [(offset + 1, end)] if offset < end else []
                self.gaps[i:i + 1] = left + right
                self.forget()
                return True
        return False

    def forget(self):
        del self.gaps[:max(0, len(self.gaps) - MAX_GAPS)]


@dataclasses.dataclass
class Purge:
    """Section "What goes" of docs/state.md."""

    sequence: int
    kind: str
    text: str
    stage: int = 0  # of ranges()
    next: bytes = b""

    def ranges(self):
        """(prefix of keys, whether it is one key) that are looked through."""
        text = self.text.encode()
        return {"url": [(text, True), (text + b"\n", False)], "url_prefix": [(text, False)],
                "host": [(scheme + text + end, False) for scheme in (b"http://", b"https://")
                         for end in (b"/", b":")],
                "crawl_id": [(b"", False)]}[self.kind]

    def covers(self, address, crawls):
        if self.kind == "crawl_id":
            return self.text in crawls
        if self.kind == "url":
            return address == self.text
        return any(address.encode().startswith(prefix) for prefix, _ in self.ranges())


@dataclasses.dataclass
class Host:
    pages: int = 0
    duplicates: int = 0
    schedule: object = dataclasses.field(default_factory=schedule.Host)


@dataclasses.dataclass
class Match:
    document: Document
    exact: bool
    distance: int
    similarity: int  # in ten-thousandths


def distance(left, right):
    return bin(left ^ right).count("1")


def is_comparable(page):
    return page.outcome == page_outcomes(page).OUTCOME_TEXT and page.features > 0


def has_content(page):
    outcomes = page_outcomes(page)
    return page.outcome in (outcomes.OUTCOME_TEXT, outcomes.OUTCOME_NOT_HTML)


def page_outcomes(page):
    """The values of `Outcome`, by name, from the module that the page's class was made in."""
    return sys.modules[type(page).__module__]


class Live:
    """Everything kept: by sequence, by content, and the simhashes as one array to compare with."""

    _BITS = numpy.array([bin(i).count("1") for i in range(1 << 16)], dtype=numpy.uint8)

    def __init__(self):
        self.by_sequence = {}
        self.by_content = {}
        self._size = 0
        self._simhash = numpy.zeros(1024, dtype=numpy.uint64)
        self._sequence = numpy.zeros(1024, dtype=numpy.int64)  # 0: retired
        self._slot = {}

    def insert(self, document):
        self.by_sequence[document.sequence] = document
        self.by_content[document.page.content_checksum, document.scope] = document
        if not is_comparable(document.page):
            return
        if self._size == len(self._simhash):
            self._simhash = numpy.concatenate([self._simhash, numpy.zeros_like(self._simhash)])
            self._sequence = numpy.concatenate([self._sequence, numpy.zeros_like(self._sequence)])
        self._simhash[self._size] = document.page.simhash
        self._sequence[self._size] = document.sequence
        self._slot[document.sequence] = self._size
        self._size += 1

    def retire(self, document):
        del self.by_sequence[document.sequence]
        place = document.page.content_checksum, document.scope
        if self.by_content.get(place) is document:
            del self.by_content[place]
        slot = self._slot.pop(document.sequence, None)
        if slot is not None:
            self._sequence[slot] = 0

    def within(self, simhash, max_distance):
        """(distance, document) of all comparable ones that near, the nearest and oldest first."""
        differing = self._simhash[: self._size] ^ numpy.uint64(simhash)
        distances = self._BITS[differing.view(numpy.uint16)].reshape(-1, 4).sum(axis=1)
        near = (distances <= max_distance) & (self._sequence[: self._size] > 0)
        found = [(int(distances[i]), int(self._sequence[i])) for i in numpy.nonzero(near)[0]]
        return [(d, self.by_sequence[sequence]) for d, sequence in sorted(found)]


def resemblance(page, other):
    """Of the two sets of shingles, as the sketches estimate it and the sizes allow."""
    smaller, larger = sorted((page.shingles, other.shingles))
    if smaller == 0:
        return 0
    bits = 64 * len(page.sketch)
    equal = bits - sum(distance(left, right) for left, right in zip(page.sketch, other.sketch))
    return min(max(0, 2 * equal - bits) * ONE // bits, smaller * ONE // larger)


def item_name(url):
    """(last segment that is no index, query), both empty where the URL names nothing."""
    segments = [part for part in url.path.split("/") if part and not re.match(r"index(\.|$)", part)]
    return (segments[-1] if segments else ""), url.query


def compare_items(page, other):
    """"same", "other" or None: the table of section "What pages say of their item"."""
    if page.canonical_url == other.canonical_url:
        return None
    left, right = (urllib.parse.urlsplit(p.canonical_url) for p in (page, other))
    names = [item_name(left), item_name(right)]
    one_host = left.netloc != "" and left.netloc == right.netloc
    titles = page.title != 0 and other.title != 0
    if ("", "") not in names:
        if names[0] == names[1]:
            paths = [re.sub(r"(?<!\d)\d{1,2}(?!\d)", "0", url.path, flags=re.ASCII)
                     for url in (left, right)]
            same = titles and page.title == other.title and (not one_host or paths[0] == paths[1])
            return "same" if same else None
        if one_host:
            return "other"
    return "other" if titles and page.title != other.title else None


def compare(page, document, parameters):
    """The match that two comparable pages make as near duplicates, else None: section "When two
    pages are near"."""
    bits = distance(page.simhash, document.page.simhash)
    if bits > parameters.max_distance:
        return None
    similarity = resemblance(page, document.page)
    shingles = min(page.shingles, document.page.shingles)
    least = parameters.min_similarity
    if shingles < parameters.short_text_shingles:
        least = max(least, parameters.short_text_similarity)
    items = compare_items(page, document.page)
    if items == "same":
        least = min(least, parameters.same_item_similarity)
    elif items == "other" and shingles < parameters.other_item_short_shingles:
        least = max(least, parameters.other_item_short_similarity)
    elif items == "other":
        least = max(least, parameters.other_item_similarity)
    return Match(document, False, bits, similarity) if similarity >= least else None


def scope_of(page, parameters):
    """What pages must share to match; section "Clusters" of docs/verdicts.md."""
    kind = scopes(page).get(parameters.scope)
    if kind == "SCOPE_CRAWL":
        return kind, page.crawl_id
    if kind == "SCOPE_HOST":
        return kind, page.host
    if kind == "SCOPE_REGISTERED_DOMAIN":
        host = page.host.encode()
        size = page.registered_domain_bytes
        return kind, (host[-size:] if 0 < size <= len(host) else host).decode()
    return ()


def scopes(page):
    module = page_outcomes(page)
    return {value: name for name, value in module.Scope.items()}


def goes_before(later, earlier, parameters, module):
    """Of two (URL, score) of a cluster."""
    keys = {module.URL_PREFERENCE_SCORE: lambda url, score: score,
            module.URL_PREFERENCE_HTTPS: lambda url, score: url.startswith("https:"),
            module.URL_PREFERENCE_SHORTER: lambda url, score: -len(url.encode())}
    chosen = [keys[preference] for preference in parameters.preferred_url]
    return [key(*later) for key in chosen] > [key(*earlier) for key in chosen]


def decide(page, own, live, parameters, is_gone=lambda document: False):
    """(reason, match or None): section "How a reason is found" of docs/verdicts.md.

    `own` is the URL's live kept version or None, `live` holds all of them, and those that are gone.
    """
    outcomes = page_outcomes(page)
    if page.outcome == outcomes.OUTCOME_DELETED:
        return "deleted", None
    if page.outcome == outcomes.OUTCOME_ERROR_STATUS:
        return "error_status", None
    if not has_content(page):
        return "not_evaluated", None
    if page.outcome == outcomes.OUTCOME_TEXT and page.features < max(1, parameters.min_features):
        return "too_short", None
    if own is not None:
        if own.page.content_checksum == page.content_checksum:
            return "unchanged", Match(own, True, 0, ONE)
        if is_comparable(page) and is_comparable(own.page):
            match = compare(page, own, parameters)
            if match is not None:
                return "unchanged", match
    scope = scope_of(page, parameters)
    same = live.by_content.get((page.content_checksum, scope))
    if same is not None and not is_gone(same):
        return "exact_duplicate", Match(same, True, 0, ONE)
    if is_comparable(page):
        near = live.within(page.simhash, parameters.max_distance)
        candidates = [document for _, document in near
                      if document is not own and document.scope == scope
                      and not is_gone(document)]
        for document in candidates[:parameters.max_candidates]:
            match = compare(page, document, parameters)
            if match is not None:
                return "near_duplicate", match
    if page.outcome == outcomes.OUTCOME_NOT_HTML:
        return "not_html", None
    return ("unique" if own is None else "updated"), None


def ratio(numerator, denominator):
    return min(numerator * ONE // denominator, ONE)


def time_text(milliseconds):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{milliseconds % 1000:03}Z" if milliseconds % 1000 else "Z")


def fetch_time(page):
    return min(max(page.fetch_time_ms, 0), LAST_TIME_MS)


def seconds_had(milliseconds):
    return max(1, min(max(milliseconds, 0), 1 << 50) // 1000)


def time_had(page):
    return seconds_had(page.fetch_time_ms)


def status_of(page):
    if page.HasField("status"):
        return page.status
    if page.outcome != page_outcomes(page).OUTCOME_ERROR_STATUS:
        return 200
    return int(page.detail) if re.fullmatch(r"-?\d{1,9}", page.detail, re.ASCII) else 0


def fetch_of(page):
    """The fetch as a schedule takes it; section "What a status says" of docs/frontier.md."""
    result = schedule.UNREADABLE
    if has_content(page):
        result = schedule.CONTENT
    elif page.outcome == page_outcomes(page).OUTCOME_ERROR_STATUS:
        result = schedule.class_of_status(status_of(page))
        if result == schedule.CONTENT:
            result = schedule.UNREADABLE
        if (result in (schedule.PERMANENT, schedule.TEMPORARY)
                and page.redirect_target == page.canonical_url):
            result = schedule.FAILURE
    return schedule.Fetch(schedule.clamped_time(fetch_time(page), page.source.timestamp_ms),
                          result, retry_after=page.retry_after_seconds)


def is_own_target(page):
    """Whether a redirect leads to the same host or registered domain."""
    host, target = page.host.encode(), page.redirect_host.encode()
    if not page.redirect_target or not host:
        return False
    size = page.registered_domain_bytes
    if host == target:
        return True
    if not 0 < size <= len(host):
        return False
    domain = host[-size:]
    return target == domain or target.endswith(b"." + domain)


def host_of(address):
    """Of a canonical URL, or of its beginning."""
    return re.split("[/?#]", address.partition("://")[2])[0].rpartition("@")[2].partition(":")[0]


class Removal:
    """What is taken out of the state: section "What goes" of docs/state.md."""

    MAX_IDS = 1024
    DAY = 86_400

    def __init__(self, judge):
        self.judge = judge
        self.purges, self.ids = [], []
        self.oldest = 0
        self.stop_clock()

    def stop_clock(self):
        self.now = self.earliest = self.since = self.began = self.horizon = self.stage = 0
        self.next = b""

    @property
    def _wanted(self):
        return self.judge.parameters.retention

    def _is_on(self):
        return self.judge.parameters.fold_version >= 8

    @staticmethod
    def _row_key(key):
        """The bytes of a URL's key, in whose order rows lie."""
        return key[0].encode() + (b"\n" + key[1][1].encode() if key[1] else b"")

    @staticmethod
    def _crawls(key, url):
        return {url.crawl, key[1][1] if key[1] else ""} - {""}

    def has(self, key):
        """Whether the URL's row is purged and still there."""
        url = self.judge.urls.get(key)
        return url is not None and any(
            url.written < purge.sequence and purge.covers(key[0], self._crawls(key, url))
            for purge in self.purges)

    def is_gone(self, document):
        crawls = {document.page.crawl_id, *document.scope[1:]} - {""} \
            if document.scope[:1] in ((), ("SCOPE_CRAWL",)) else {document.page.crawl_id} - {""}
        return any(document.sequence < purge.sequence
                   and purge.covers(document.page.canonical_url, crawls)
                   for purge in self.purges)

    def hide_preferred(self, document, scope):
        if document.preferred is not None and self.has((document.preferred[0], scope)):
            document.preferred = None

    def begin(self, entry):
        kind = entry.WhichOneof("what")
        text = getattr(entry, kind) if kind else ""
        if not self._is_on():
            return
        self.judge.sequence += 1
        if text and ("\n" not in text or kind == "crawl_id") and entry.id not in self.ids:
            self.ids = [*self.ids, entry.id][-self.MAX_IDS:]
            self._forget_patterns(kind, text)
            purge = Purge(self.judge.sequence, kind, text)
            if not self._look(purge):
                self.purges.append(purge)
        self.sweep()

    def _forget_patterns(self, kind, text):
        if kind == "host":
            self.judge.hosts.pop(text, None)
        elif kind == "url":
            self._forget_pattern_of(text)
        elif kind == "url_prefix" and host_of(text) in self.judge.hosts:
            self.judge.hosts[host_of(text)].schedule.sets.clear()

    def _forget_pattern_of(self, address):
        """With all others of its set."""
        host = self.judge.hosts.get(host_of(address))
        if host is not None:
            host.schedule.forget_set_of(schedule.path_pattern(address.encode()))

    def prepare(self, page):
        if not self._is_on():
            return
        seconds = page.source.timestamp_ms // 1000
        if self._wanted.expire_seconds and seconds > 0:
            seconds = min(seconds, LAST_TIME_MS // 1000)
            self.earliest = min(self.earliest, seconds) if self.earliest else seconds
        scope = scope_of(page, self.judge.parameters)
        scope = scope if scope[:1] == ("SCOPE_CRAWL",) else ()
        for address in (page.canonical_url, page.redirect_target):
            if address and self.has((address, scope)):
                self._remove_url((address, scope))

    def note(self, page, key, url, reason, representative):
        if not self._is_on():
            return
        inserted = representative is not None and representative.sequence == self.judge.sequence
        other = self.judge.urls.get((page.redirect_target, key[1]))
        is_adopted = self.judge.adopted is not None and other is self.judge.adopted
        for place, row in ((key, self.judge.urls.get(key)),
                           ((page.redirect_target, key[1]), other if is_adopted else None)):
            if row is None or (row is url and reason == "outdated"):
                continue
            if inserted or row.kept == 0:
                row.crawl = page.crawl_id
            if self._wanted.expire_seconds:
                row.seen = self.now // 3600
            if any(purge.covers(place[0], self._crawls(place, row)) for purge in self.purges):
                row.written = self.judge.sequence
        if not self._wanted.expire_seconds:
            return
        seen = representative
        if reason == "not_modified":
            seen = self.judge.live.by_sequence.get(url.kept)
        if seen is not None and (inserted or self.now // 3600 >= seen.seen + self._step()):
            seen.seen = self.now // 3600

    def _step(self):
        return max(1, self._wanted.expire_seconds // 3600 // 16)

    def sweep(self):
        if not self._is_on() or self.judge.sequence % (self._wanted.sweep_entries or 4096):
            return
        if self._wanted.max_pages:
            self._keep_bound()
        if self._wanted.expire_seconds:
            if self.earliest > self.now:
                self.now = min(self.earliest, self.now + self.DAY) if self.now else self.earliest
            self.earliest = 0
            self.since = self.since or self.now
        if not self.purges:
            self._expire()
        elif self._look(self.purges[0]):
            del self.purges[0]

    def _rows(self, prefix, start, most):
        """(bytes of the key, key) of URLs in order."""
        found = sorted((self._row_key(key), key) for key in self.judge.urls)
        return [row for row in found if row[0] >= start and row[0].startswith(prefix)][:most]

    def _look(self, purge):
        left = self._wanted.sweep_rows or 1024
        ranges = purge.ranges()
        while purge.stage < len(ranges) and left > 0:
            prefix, is_exact = ranges[purge.stage]
            asked = 1 if is_exact else left
            rows = self._rows(prefix, purge.next, asked)
            for _, key in rows:
                url = self.judge.urls[key]
                if (url.written < purge.sequence
                        and purge.covers(key[0], self._crawls(key, url))):
                    self._remove_url(key)
                    if purge.kind == "url_prefix":
                        self._forget_pattern_of(key[0])
            left -= max(len(rows), 1)
            if is_exact or len(rows) < asked:
                purge.stage, purge.next = purge.stage + 1, b""
            else:
                purge.next = rows[-1][0] + b"\0"
        return purge.stage == len(ranges)

    def _remove_url(self, key):
        url = self.judge.urls.pop(key)
        own = self.judge.live.by_sequence.get(url.kept)
        if own is not None:
            self.judge.live.retire(own)
        joined = self.judge.live.by_sequence.get(url.representative)
        if joined is not None and joined.preferred and joined.preferred[0] == key[0]:
            joined.preferred = None
        self.judge.crawl.forget(url.schedule)

    def _seen(self, hour):
        return max(0 if hour > self.now // 3600 else hour, self.since // 3600)

    def _expire(self):
        after = self._wanted.expire_seconds
        if not after or self.now < self.since + after:
            return
        if self.stage == 0:
            if self.began and self.now < self.began + after // 8:
                return
            self.began, self.horizon = self.now, self.now - after
            self.stage, self.next = 1, b""
        most = self._wanted.sweep_rows or 1024
        live = self.judge.live.by_sequence
        if self.stage == 1:
            rows = [(s.to_bytes(8, "big"), s) for s in sorted(live)]
            rows = [row for row in rows if row[0] >= self.next][:most]
            for _, sequence in rows:
                if self._seen(live[sequence].seen) + self._step() < self.horizon // 3600:
                    self.judge.live.retire(live[sequence])
        else:
            rows = self._rows(b"", self.next, most)
            for _, key in rows:
                url = self.judge.urls[key]
                if self._seen(url.seen) < self.horizon // 3600 and url.kept not in live:
                    self._remove_url(key)
        if len(rows) == most:
            self.next = rows[-1][0] + b"\0"
        else:
            self.stage, self.next = (2 if self.stage == 1 else 0), b""

    def _keep_bound(self):
        live = self.judge.live.by_sequence
        pages = sum(is_comparable(document.page) for document in live.values())
        most = (self._wanted.sweep_entries or 4096) + (self._wanted.sweep_rows or 1024)
        for sequence in sorted(live)[:most]:
            if pages <= self._wanted.max_pages:
                return
            pages -= is_comparable(live[sequence].page)
            self.judge.live.retire(live[sequence])


class Oracle:
    """Folds entries in log order; says for each what its verdict record must hold."""

    def __init__(self):
        self.parameters = None
        self.sequence = 0
        self.marks = {}
        self.opened = []  # (topic, partition, from, to) of every gap that was ever opened
        self.live = Live()
        self.urls = {}
        self.hosts = {}
        self.crawl = schedule.Crawl()
        self.removal = Removal(self)

    def fold(self, entry):
        """The verdict's fields, but for who gave it and when; None: the entry gets no verdict."""
        if entry.WhichOneof("body") == "parameters":
            self.parameters = entry.parameters
            self.crawl.set_options(schedule.options_of(entry.parameters.schedule))
            self.sequence += 1
            if not self.parameters.retention.expire_seconds:
                self.removal.stop_clock()
            self.removal.sweep()
            return None
        if entry.WhichOneof("body") == "purge" and self.parameters is not None:
            self.removal.begin(entry.purge)
            return None
        if entry.WhichOneof("body") == "question" and self.parameters is not None:
            self._passes_mark(entry.question.source)  # no verdict, no sequence
            return None
        if entry.WhichOneof("body") != "page" or self.parameters is None:
            raise NotFoldable("an entry that is neither parameters nor a page behind some")
        page = entry.page
        if not self._passes_mark(page.source):
            return None
        self.sequence += 1
        verdict = None
        if page.outcome != page_outcomes(page).OUTCOME_DEAD_LETTER:
            self.removal.prepare(page)
            verdict = self._judge(page)
        self.removal.sweep()
        return verdict

    def _passes_mark(self, source):
        """Section "Marks" of docs/verdicts.md. An entry of another topic passes no more than a
        repeat does, so the times of records make no difference here."""
        place = (source.topic, source.partition)
        mark = self.marks.get(place)
        if mark is not None and source.generation < mark.generation:
            return False
        if mark is None or source.generation > mark.generation:
            self.marks[place] = mark = Mark(source.generation)
            missed = not source.begins_unclaimed
        else:
            missed = True
        if self.parameters.fold_version < 5:
            if source.offset <= mark.offset or (mark.offset >= 0
                                                and source.previous_offset > mark.offset):
                return False
            mark.offset = source.offset
            return True
        if self.parameters.fold_version >= 7 and source.is_position:
            if source.offset > mark.offset:
                self._open_gap(place, mark, source.offset)
                mark.offset = source.offset
            return False
        if source.offset <= mark.offset:
            return mark.fill(source.previous_offset, source.offset)
        previous = min(source.previous_offset, source.offset - 1)
        if previous > mark.offset and missed:
            self._open_gap(place, mark, previous)
        mark.offset = source.offset
        return True

    def _open_gap(self, place, mark, last):
        mark.gaps.append((mark.offset + 1, last))
        self.opened.append((*place, *mark.gaps[-1]))
        mark.forget()

    def _judge(self, page):
        scope = scope_of(page, self.parameters)
        key = (page.canonical_url, scope if scope[:1] == ("SCOPE_CRAWL",) else ())
        self.adopted = None  # the URL that takes over what is known of the page's
        known = key in self.urls
        url = self.urls.get(key) or Url()
        own = self.live.by_sequence.get(url.kept)
        has_schedules = self.parameters.fold_version >= 6
        is_fetch = page.outcome != page_outcomes(page).OUTCOME_DELETED
        fetch = fetch_of(page) if has_schedules and is_fetch else None
        reason, match = self._reason_of_fetch(page, url, fetch), None
        content = page.content_checksum if has_content(page) else None
        if reason is None and self._is_revisit(page):
            reason, match, content = self._revisit(page, key, own)
            if content is not None:
                fetch.result = schedule.CONTENT
        elif reason is None:
            reason, match = decide(page, own, self.live, self.parameters, self.removal.is_gone)
        had = url.had()
        joins = match is not None and url.representative != match.document.sequence
        budget = max(1, self.parameters.cluster_budget)
        if joins and reason != "unchanged" and match.document.cluster_size < budget:
            reason = "cluster_budget"
        verdict, inserts, retires, follow_links, host_count, novelty = TABLE[reason]
        if reason == "not_evaluated" and self.parameters.fold_version < 5:
            retires = True

        if retires and own is not None:
            self.live.retire(own)
            url.kept = 0
        representative = None
        if match is not None:
            self.removal.hide_preferred(match.document, key[1])
        if inserts:
            representative = Document(self.sequence, page, scope)
            self.live.insert(representative)
            url.kept = self.sequence
        elif match is not None:
            representative = match.document
            representative.cluster_size += joins

        if (content is not None and reason != "outdated") or reason == "deleted":
            left = self.live.by_sequence.get(url.representative)
            if left is not None and left is not representative and left.preferred \
                    and left.preferred[0] == page.canonical_url:
                left.preferred = None

        changed = None
        if content is not None and reason != "outdated":
            is_same = url.fetches > 0 and url.redirect is None and url.content == content
            had = had[0] if is_same else time_had(page), time_had(page)
            url.was_unread = False
            url.near = (0, 0) if match is None or match.exact else (match.distance,
                                                                    match.similarity)
            changed = self._note_content(url, page, content, representative)
        elif has_schedules and reason == "not_modified":
            changed = False if url.schedule.last_visit else None
            if url.redirect is None:
                had = had[0], time_had(page)
            url.fetches += url.fetches > 0
        elif has_schedules and reason == "redirect" and fetch.result == schedule.TEMPORARY:
            changed = url.redirect != page.redirect_target if url.schedule.last_visit else None
            url.redirect = page.redirect_target
        if reason == "deleted":
            if has_schedules:
                self.crawl.forget(url.schedule)
            self.urls.pop(key, None)
        elif reason != "outdated" and (known or content is not None or has_schedules):
            self.urls[key] = url
        next_fetch, at_horizon = (self._take(page, key, url, fetch, changed) if fetch
                                  else (None, 0))
        if reason == "not_evaluated":
            url.was_unread = self.parameters.fold_version >= 8
        if reason != "outdated" and self.parameters.fold_version >= 8:
            url.set_had(*(had if self.adopted is None else (0, 0)))
        self.removal.note(page, key, url, reason, representative)

        if (reason == "not_evaluated" and page.detail in LIMIT_CODES
                and self.parameters.fold_version >= 5):
            host_count = "duplicate"
        host = self.hosts.get(page.host) or Host()
        if host_count is not None and changed is not False and page.host:
            host.pages += 1
            host.duplicates += host_count == "duplicate"
            self.hosts[page.host] = host

        preferred_url = None
        if representative and self.parameters.preferred_url:
            score = round(self._priority(page, url, host, 0)["score"] * ONE)
            preferred_url = self._prefer(representative, page, score)

        return {
            "schema_version": 1,
            "id": page.id or None,
            "url": page.url,
            "final_url": page.final_url or page.url,
            "canonical_url": page.canonical_url,
            "crawl_id": page.crawl_id or None,
            "verdict": verdict,
            "reason": reason,
            "detail": page.detail or None,
            "match": match and self._match(match),
            "cluster": representative and {"id": representative.sequence,
                                           "size": representative.cluster_size,
                                           "preferred_url": preferred_url},
            "fingerprint": self._fingerprint(page),
            "follow_links": follow_links,
            "priority": self._priority_at_horizon(page, url, host, novelty, at_horizon),
            "recrawl": None if reason == "deleted"
                       else self._recrawl(page, url, changed, fetch, next_fetch),
            "payload": self._payload(page),
            "source": {"topic": page.source.topic, "partition": page.source.partition,
                       "offset": page.source.offset,
                       "timestamp": time_text(page.source.timestamp_ms)},
            "sequence": self.sequence,
            "omitted": list(page.omitted),
        }

    def _prefer(self, document, page, score):
        """Lets the page's URL compete for the preferred one of its cluster, and says who is."""
        own, url = document.page.canonical_url, page.canonical_url
        if url == own:
            document.score = score
        if document.preferred and document.preferred[0] == url:
            document.preferred = url, score
        incumbent = document.preferred or (own, document.score)
        if url != incumbent[0] and goes_before((url, score), incumbent, self.parameters,
                                               page_outcomes(page)):
            document.preferred = None if url == own else (url, score)
        return document.preferred[0] if document.preferred else own

    @staticmethod
    def _reason_of_fetch(page, url, fetch):
        """The reason of a page that was fetched too late to count, or of a fetch that failed;
        None: the content decides."""
        if fetch is None:
            return None
        if fetch.time < url.schedule.last_visit:
            return "outdated"
        if page.outcome != page_outcomes(page).OUTCOME_ERROR_STATUS:
            return None
        if fetch.result == schedule.NOT_MODIFIED:
            return "not_modified"
        if fetch.result in (schedule.PERMANENT, schedule.TEMPORARY):
            return "redirect"
        if schedule.take_fetch(url.schedule.copy(), fetch)[0] == "gone":
            return "gone"
        return "error_status"

    def _is_revisit(self, page):
        return (self.parameters.fold_version >= 8
                and page.outcome == page_outcomes(page).OUTCOME_REVISIT)

    def _revisit(self, page, key, own):
        """(reason, match or None, checksum of the content or None): section "Revisit records" of
        docs/verdicts.md."""
        nothing = "not_evaluated", None, None
        other_key = (page.revisit_url or page.canonical_url, key[1])
        is_own = other_key == key
        url = self.urls.get(other_key)
        if url is None or self.removal.has(other_key):
            return nothing
        time = seconds_had(page.revisit_time_ms) if page.HasField("revisit_time_ms") else None
        if time is None and not is_own:
            return nothing
        kept = self._living(url.kept)
        if kept is not None and time == time_had(kept.page):
            document, match, content = kept, Match(kept, True, 0, ONE), kept.page.content_checksum
        else:
            document, content = self._living(url.representative), url.content
            if (url.fetches == 0 or url.redirect is not None or not content
                    or (url.was_unread if time is None else time not in url.had())):
                return nothing
            if url.representative == 0:
                return "too_short", None, content
            if document is None:
                return nothing
            match = Match(document, True, 0, ONE)
            if document.page.content_checksum != content:
                if url.near[1] == 0 or not is_own:
                    return nothing
                match = Match(document, False, *url.near)
        if document is own:
            return "unchanged", match, content
        if document.scope != scope_of(page, self.parameters):
            return nothing
        if not match.exact:
            return "near_duplicate", match, content
        if own is not None and is_comparable(own.page) and is_comparable(document.page):
            as_page = type(page)()
            as_page.CopyFrom(document.page)
            as_page.canonical_url = page.canonical_url
            with_own = compare(as_page, own, self.parameters)
            if with_own is not None:
                return "unchanged", with_own, content
        return "exact_duplicate", match, content

    def _living(self, sequence):
        document = self.live.by_sequence.get(sequence)
        return None if document is None or self.removal.is_gone(document) else document

    def _note_content(self, url, page, content, representative):
        """What a fetch that had content adds to its URL. Whether the content has changed."""
        has_schedules = self.parameters.fold_version >= 6
        is_refetch = not (has_schedules and page.was_redirected)
        recrawl = self.parameters.recrawl
        changed = None
        if url.fetches > 0 or url.redirect is not None:
            repeats = (representative is not None
                       and url.representative == representative.sequence)
            changed = url.redirect is not None or (
                url.content != content and not repeats)
            url.changes += changed and is_refetch
            interval = min(url.interval, recrawl.max_seconds)
            interval = interval // 2 if changed else interval + interval // 2
            url.interval = min(max(interval, recrawl.min_seconds), recrawl.max_seconds)
        else:
            url.interval = recrawl.initial_seconds
        url.fetches += is_refetch or url.fetches == 0
        url.representative = representative.sequence if representative else 0
        url.content = content
        url.redirect = None
        return changed

    def _take(self, page, key, url, fetch, changed):
        """Takes the fetch into the schedules. When the URL is to be fetched next, and how much it
        will be due at the horizon."""
        url_bytes, target = page.canonical_url.encode(), page.redirect_target.encode()
        host = schedule.Host()
        if page.host and "\0" not in page.host:
            host = self.hosts.setdefault(page.host, Host()).schedule
        pattern = schedule.path_pattern(url_bytes)
        fetch.changed = bool(changed)
        is_redirect = fetch.result in (schedule.PERMANENT, schedule.TEMPORARY)
        if (is_redirect and fetch.time >= url.schedule.last_visit and target
                and page.redirect_host == page.host):
            host.add_redirect(url_bytes, pattern, target)
        _, history, next_fetch, at_horizon = self.crawl.take(
            url.schedule, host, pattern, fetch, self.parameters.priority.horizon_seconds, page.host)
        if (history is not None and history.last_visit and is_own_target(page)
                and not host.is_sink(target)):
            other_key = (page.redirect_target, key[1])
            other = self.urls.get(other_key) or Url()
            if other.fetches == 0 and other.schedule.last_visit == 0:
                other.schedule.last_visit = history.last_visit
                other.schedule.years, other.schedule.weeks = history.years, history.weeks
                for name, nothing in (("fetches", 0), ("changes", 0), ("content", b""),
                                      ("redirect", None)):
                    setattr(other, name, getattr(url, name))
                    setattr(url, name, nothing)
                url.near = (0, 0)
                self.urls[other_key] = self.adopted = other
        return next_fetch, at_horizon

    def _priority_at_horizon(self, page, url, host, novelty, at_horizon):
        priority = self._priority(page, url, host, novelty)
        if self.parameters.fold_version >= 8 and self.parameters.priority.horizon_seconds:
            priority["score"] = at_horizon / ONE
        return priority

    def _priority(self, page, url, host, novelty):
        components = {
            "novelty": novelty,
            "host": ONE - ratio(host.duplicates + 1, host.pages + 4),
            "depth": ratio(4, 4 + page.path_depth),
            "change": ratio(url.changes + 1, max(url.fetches - 1, 0) + 2),
        }
        weights = self.parameters.priority
        score = sum(getattr(weights, name) * value for name, value in components.items()) // 1000
        return {"score": min(score, ONE) / ONE,
                "components": {name: value / ONE for name, value in components.items()}}

    def _recrawl(self, page, url, changed, fetch, next_fetch):
        if fetch is not None:
            return {"changed": changed, "next_fetch": time_text(next_fetch * 1000),
                    "interval_seconds": next_fetch - fetch.time}
        interval = url.interval or self.parameters.recrawl.initial_seconds
        return {"changed": changed, "next_fetch": time_text(fetch_time(page) + interval * 1000),
                "interval_seconds": interval}

    @staticmethod
    def _match(match):
        page = match.document.page
        return {"id": page.id or None, "url": page.url, "kind": "exact" if match.exact else "near",
                "distance": match.distance, "similarity": match.similarity / ONE,
                "first_seen": time_text(fetch_time(page))}

    @staticmethod
    def _payload(page):
        if not page.HasField("payload"):
            return None
        payload = page.payload
        digests = (("sha1", payload.sha1), ("sha256", payload.sha256))
        return {"digests": [f"{name}:{base64.b32encode(digest).decode()}"
                            for name, digest in digests if digest],
                "bytes": payload.bytes, "media_type": payload.media_type or None,
                "status": page.status if page.HasField("status") else 200,
                "fetched": time_text(min(max(page.fetch_time_ms, 0), LAST_TIME_MS - 1)), "file": payload.file or None,
                "offset": payload.offset if payload.file else None,
                "length": payload.length or None}

    @staticmethod
    def _fingerprint(page):
        is_text = page.outcome == page_outcomes(page).OUTCOME_TEXT
        return {"raw_checksum": page.raw_checksum.hex() or None,
                "content_checksum": page.content_checksum.hex() or None,
                "simhash": f"{page.simhash:016x}" if is_text else None,
                "features": page.features, "text_length": page.text_length,
                "language": page.language or None, "scheme": page.scheme}
