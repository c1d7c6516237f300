"""When to fetch a URL again, by the rules of docs/frontier.md: the same integers as the service's,
from code of its own. Times are whole seconds, logarithms are to the base 2 in steps of 2^-16."""

import dataclasses
import functools
import math

LOG_ONE = 1 << 16
Q32 = 1 << 32
LN_TWO = 2_977_044_472  # in steps of 2^-32
LOG2_OF_E = 6_196_328_019  # in steps of 2^-32
DAY = 86_400
VISIT = 256
EVIDENCE_LIMIT = 1 << 60
BUCKETS = 96
WIDTH = LOG_ONE // 4
MIN_MEAN, MAX_MEAN = 60, 20 * 365 * DAY
USUAL_MEAN = 60 * DAY
YEARS, WEEKS = 365 * DAY, 30 * DAY
CRAWL_WEIGHT = HOST_WEIGHT = PATTERN_WEIGHT = 512
URL_WEIGHT, WEEKS_WEIGHT = 256, 384
SOLVE_EVERY = 4096
NO_VALUE = -64 * LOG_ONE
RESOLUTION = LOG_ONE // 256
MAX_PATTERN_BYTES = 120
MAX_SECONDS = 100 * 365 * DAY  # between two fetches, whatever the log says


# Logarithms and exponentials.

def _power_tables():
    coarse, fine = [1 << 62] * 256, [1 << 62] * 256
    root = 1 << 63
    for digit in range(1, 17):
        root = math.isqrt(root << 62)
        table = coarse if digit <= 8 else fine
        bit = 256 >> (digit if digit <= 8 else digit - 8)
        for i in range(bit, 256, 2 * bit):
            table[i] = table[i - bit] * root >> 62
    return coarse, fine


def _middle(part):
    return (1 << 63) + ((2 * part + 1) << 55)


def _slow_log2(mantissa):
    log = 0
    for _ in range(40):
        square = mantissa * mantissa
        is_two = square >> 127 != 0
        mantissa = square >> (64 if is_two else 63)
        log = log << 1 | is_two
    return log


COARSE, FINE = _power_tables()
LOGS = [_slow_log2(_middle(part)) for part in range(128)]
INVERSES = [(1 << 126) // _middle(part) for part in range(128)]


def _series():
    series, factorial = [], 2
    for n in range(13):
        series.append((2 * Q32 * (n + 1) + factorial // 2) // factorial)
        factorial *= n + 3
    return series


SERIES = _series()


def toward_zero(numerator, denominator):
    return -(-numerator // denominator) if numerator < 0 else numerator // denominator


def log2_fine(value):
    value = max(value, 1)
    whole = value.bit_length() - 1
    mantissa = value << (63 - whole)
    part = mantissa >> 56 & 127
    d = (mantissa - _middle(part) >> 24) * (INVERSES[part] >> 40) >> 22
    square = (d >> 4) * (d >> 4) >> 32
    cube = square * d >> 40
    ln = d - square // 2 + toward_zero(cube, 3)
    log = LOGS[part] + (ln * (LOG2_OF_E >> 4) >> 28)
    return (whole << 32) + (log >> 8)


def round_log(fine):
    return fine + (1 << 15) >> 16


def log2_of(value):
    return round_log(log2_fine(value))


def power(log, scale):
    whole = (log >> 16) + scale
    if whole >= 62:
        return 1 << 62
    fraction = log & LOG_ONE - 1
    return 0 if whole < 0 else (COARSE[fraction >> 8] * FINE[fraction & 255] >> 62) >> (62 - whole)


def exp_minus(x):
    if x >= 23 << 32:
        return 0
    return power(round_log(-(x * LOG2_OF_E >> 32)), 32)


def log2_of_ln1p(a, b):
    if a < b >> 8:
        correction = ((a << 31) // b) * LOG2_OF_E >> 32
        return round_log(log2_fine(a) - log2_fine(b) - correction)
    log = log2_fine(a + b) - log2_fine(b)
    return round_log(log2_fine(log * LN_TWO >> 32) - (32 << 32))


# Change rates.

def bounded(rate):
    return min(max(rate, -log2_of(MAX_MEAN)), -log2_of(MIN_MEAN))


def rate_of_mean(seconds):
    return bounded(-log2_of(seconds))


@dataclasses.dataclass
class Evidence:
    changes: int = 0
    changed: int = 0
    unchanged: int = 0

    def add(self, interval, changed):
        if changed:
            self.changes += VISIT
            self.changed += min(interval, EVIDENCE_LIMIT)
        else:
            self.unchanged += min(interval, EVIDENCE_LIMIT)
        while max(self.changes, self.changed, self.unchanged) >= EVIDENCE_LIMIT:
            self.halve()

    def halve(self):
        self.changes //= 2
        self.changed //= 2
        self.unchanged //= 2

    def fade(self, since, until, half_life):
        step = max(half_life // 64, 1)
        if until // step <= since // step:
            return
        left = power(-min(until // step - since // step, 60 * 64) * (LOG_ONE // 64), 32)
        for name in ("changes", "changed", "unchanged"):
            setattr(self, name, ((getattr(self, name) * (left << 1) >> 32) + 1) // 2)

    def without(self, part):
        return Evidence(max(self.changes - part.changes, 0), max(self.changed - part.changed, 0),
                        max(self.unchanged - part.unchanged, 0))

    def copy(self):
        return dataclasses.replace(self)


@dataclasses.dataclass
class Fading:
    evidence: Evidence = dataclasses.field(default_factory=Evidence)
    as_of: int = 0

    def add(self, time, interval, changed):
        self.evidence.fade(self.as_of, time, YEARS)
        self.as_of = max(self.as_of, time)
        self.evidence.add(interval, changed)


def estimate(evidence, prior, weight):
    mean = power(-bounded(prior), 0)
    changes = evidence.changes + (weight * 41_427 + (1 << 15) >> 16)
    changed = evidence.changed + (mean * 41_427 // VISIT * weight >> 16)
    unchanged = evidence.unchanged + (mean * 24_109 // VISIT * weight >> 16)
    if changes == 0:
        return bounded(-64 << 16)
    changed, unchanged = max(changed, 1), max(unchanged, 1)
    return bounded(log2_of(changes) - log2_of(VISIT) - log2_of(changed)
                   + log2_of_ln1p(changed, unchanged))


# What a fetch is worth.

def log_gain(log_x):
    if log_x >= 5 * LOG_ONE:
        return 0
    square = 2 * log_x - LOG_ONE
    if log_x < -20 * LOG_ONE:
        return square
    x = power(log_x, 32)
    if x >= Q32:
        lost = (Q32 + x) * exp_minus(x) >> 32
        return log2_of(Q32 - lost) - 32 * LOG_ONE
    series = SERIES[-1]
    for term in reversed(SERIES[:-1]):
        series = term - (series * x >> 32)
    return square + log2_of(series) - 32 * LOG_ONE


def value_of_fetch(rate, elapsed):
    return NO_VALUE if elapsed == 0 else log_gain(rate + log2_of(elapsed)) - rate


def score_of_fetch(rate, threshold, least, most, elapsed):
    """V / (V + threshold), in ten-thousandths."""
    log_ratio = min(max(threshold - value_of_fetch(rate, elapsed), -29 * LOG_ONE), 29 * LOG_ONE)
    score = (10_000 << 32) // (Q32 + power(log_ratio, 32))
    is_due = elapsed >= most or (elapsed >= least and log_ratio <= 0)
    return max(score, 5_000) if is_due else min(score, 4_999)


@functools.lru_cache(maxsize=1 << 16)
def fetch_interval(rate, threshold, least, most):
    early, late = least, max(most, least)
    if value_of_fetch(rate, early) >= threshold:
        return early
    if value_of_fetch(rate, late) < threshold:
        return late
    while late - early > 1:
        middle = early + (late - early) // 2
        if value_of_fetch(rate, middle) >= threshold:
            late = middle
        else:
            early = middle
    return late


def share_fresh(rate, interval):
    if interval == 0:
        return Q32
    log_x = rate + log2_of(interval)
    if log_x < -20 * LOG_ONE:
        return Q32
    x = power(log_x, 32)
    if x >= Q32 // 8:
        return (Q32 - exp_minus(x) << 24) // (x >> 8)
    square = x * x >> 32
    return Q32 - x // 2 + square // 6 - (square * x >> 32) // 24


# The threshold.

def bucket_of(rate):
    return min(max(rate - rate_of_mean(MAX_MEAN), 0) // WIDTH, BUCKETS - 1)


def rate_of_bucket(bucket):
    return rate_of_mean(MAX_MEAN) + bucket * WIDTH + WIDTH // 2


def _first_threshold(holds):
    low, high = 0, 31 * LOG_ONE // RESOLUTION
    while high - low > 1:
        middle = low + (high - low) // 2
        if holds(middle * RESOLUTION):
            high = middle
        else:
            low = middle
    return high * RESOLUTION


def solve(counts, options):
    """`counts`: of URLs, by bucket."""
    used = [(rate_of_bucket(i), count) for i, count in enumerate(counts) if count]
    by_rate = bool(used) and options.fetches_a_day > 0
    used = used or [(rate_of_bucket(bucket_of(rate_of_mean(USUAL_MEAN))), 1)]
    bounds = options.least, options.most

    def fetches_a_day(threshold):
        return min(sum(count * (DAY * 1000) // max(fetch_interval(rate, threshold, *bounds), 1)
                       for rate, count in used), (1 << 64) - 1)

    def freshness(threshold):
        total = sum(count for _, count in used)
        fresh = sum(count * share_fresh(rate, fetch_interval(rate, threshold, *bounds))
                    for rate, count in used)
        return fresh * 10_000 // total >> 32

    if by_rate:
        return _first_threshold(lambda t: fetches_a_day(t) <= options.fetches_a_day)
    return _first_threshold(lambda t: freshness(t) < options.freshness) - RESOLUTION


# Fetches.

LIVE, MISSING, GONE, MOVED = range(4)
CONTENT, NOT_MODIFIED, NOT_FOUND, IS_GONE, FAILURE, UNREADABLE, PERMANENT, TEMPORARY = range(8)


def class_of_status(status):
    classes = {301: PERMANENT, 308: PERMANENT, 302: TEMPORARY, 303: TEMPORARY, 307: TEMPORARY,
               304: NOT_MODIFIED, 404: NOT_FOUND, 410: IS_GONE}
    return classes.get(status, CONTENT if 200 <= status <= 300 else FAILURE)


def clamped_time(fetched_ms, recorded_ms):
    latest = 1 << 50
    if recorded_ms > 0:
        around = min(recorded_ms, latest)
        time = min(max(fetched_ms, around - DAY * 1000), around + DAY * 1000)
    else:
        time = min(max(fetched_ms, 0), latest)
    return max(time // 1000, 1)


def back_off(failures):
    return min(2 * 3600 << min(failures - 1, 10), DAY)


@dataclasses.dataclass
class Fetch:
    time: int
    result: int
    changed: bool = False
    retry_after: int = 0


@dataclasses.dataclass
class UrlSchedule:
    last_visit: int = 0
    not_before: int = 0
    state: int = LIVE
    failures: int = 0
    bucket: object = None
    years: Evidence = dataclasses.field(default_factory=Evidence)
    weeks: Evidence = dataclasses.field(default_factory=Evidence)

    def has_rate(self):
        return self.state == LIVE and self.last_visit != 0

    def fit(self):
        for evidence, largest in ((self.years, (1 << 32) - 1), (self.weeks, (1 << 24) - 1)):
            while (evidence.changes > 0xffff
                   or max(evidence.changed, evidence.unchanged) > largest):
                evidence.halve()

    def copy(self):
        return dataclasses.replace(self, years=self.years.copy(), weeks=self.weeks.copy())


def take_fetch(url, fetch):
    """(effect, interval, history): the table "What a status says" of docs/frontier.md."""
    if fetch.time < url.last_visit:
        return "outdated", 0, None
    taken = _take_fetch(url, fetch)
    url.fit()
    return taken


def _take_fetch(url, fetch):
    if fetch.result in (CONTENT, NOT_MODIFIED, TEMPORARY):
        return _take_visit(url, fetch)
    if fetch.result in (FAILURE, UNREADABLE):
        url.failures = min(url.failures + 1, 15)
        is_error = url.failures >= 3
        wait = max(7 * DAY if is_error else back_off(url.failures),
                   min(fetch.retry_after, 30 * DAY))
        url.not_before = max(url.not_before, fetch.time + wait)
        return ("error" if is_error else "retry"), 0, None
    if fetch.result == PERMANENT:
        history = url.copy()
        history.bucket = None
        url.__dict__.update(UrlSchedule(bucket=url.bucket).__dict__)
        url.state, url.not_before = MOVED, fetch.time + 90 * DAY
        return "moved", 0, history
    if fetch.result == NOT_FOUND and url.state not in (GONE, MISSING):
        url.state, url.failures, url.not_before = MISSING, 0, fetch.time + DAY
        return "missing", 0, None
    if fetch.result == NOT_FOUND and url.state == MISSING and fetch.time < url.not_before:
        return "missing", 0, None
    url.state, url.failures, url.not_before = GONE, 0, fetch.time + 90 * DAY
    return "gone", 0, None


def _take_visit(url, fetch):
    is_back = url.state in (GONE, MISSING)
    before = url.last_visit
    url.state, url.failures, url.not_before, url.last_visit = LIVE, 0, 0, fetch.time
    if before == 0:
        return "first", 0, None
    changed = fetch.result != NOT_MODIFIED and (fetch.changed or is_back)
    interval = fetch.time - before
    url.years.fade(before, fetch.time, YEARS)
    url.weeks.fade(before, fetch.time, WEEKS)
    url.years.add(interval, changed)
    url.weeks.add(interval, changed)
    return ("changed" if changed else "unchanged"), interval, None


# Hosts and patterns.

def text_hash(text):
    mask = (1 << 64) - 1
    value = 0xcbf29ce484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001b3 & mask
    value = (value ^ value >> 33) * 0xff51afd7ed558ccd & mask
    return value ^ value >> 33


def path_pattern(url):
    """Of a URL in UTF-8, as bytes."""
    start = url.find(b"://")
    if start >= 0:
        places = [i for i in (url.find(mark, start + 3) for mark in (b"/", b"?")) if i >= 0]
        url = url[min(places):] if places else b""
    url = url.split(b"#", 1)[0]
    path, mark, query = url.partition(b"?")
    segments = path.removeprefix(b"/").split(b"/")
    pattern = b"".join(b"/" + _without_digits(segment) for segment in segments[:2])
    if len(segments) > 2:
        pattern += b"/*"
    names = [part.split(b"=", 1)[0] for part in query.split(b"&") if part][:16] if mark else []
    for i, name in enumerate(sorted(set(names))):
        pattern += (b"&" if i else b"?") + _without_digits(name)
    return pattern[:MAX_PATTERN_BYTES]


def _without_digits(text):
    out = bytearray()
    in_digits = False
    for byte in text:
        is_digit = 0x30 <= byte <= 0x39
        if not is_digit:
            out.append(byte)
        elif not in_digits:
            out += b"N"
        in_digits = is_digit
    return bytes(out)


@dataclasses.dataclass
class Pattern:
    text: bytes
    changes: Fading = dataclasses.field(default_factory=Fading)
    visits: int = 0
    inherited: int = 0

    def rank(self):
        return self.visits + self.inherited


class Host:
    def __init__(self):
        self.changes = Fading()
        self.sets = {}  # number: list of at most four patterns
        self.targets = {}  # hash: [sources, patterns, redirects]
        self.answers = []
        self.pauses = 0
        self.paused_until = 0

    def find(self, pattern):
        for known in self.sets.get(text_hash(pattern) % 64, ()):
            if known.text == pattern:
                return known
        return None

    def forget_set_of(self, pattern):
        self.sets.pop(text_hash(pattern) % 64, None)

    def add_visit(self, pattern, time, interval, changed):
        self.changes.add(time, interval, changed)
        known = self.find(pattern)
        if known is None:
            known = Pattern(pattern)
            patterns = self.sets.setdefault(text_hash(pattern) % 64, [])
            if len(patterns) < 4:
                patterns.append(known)
            else:
                weakest = min(range(4), key=lambda i: patterns[i].rank())
                known.inherited = patterns[weakest].rank()
                patterns[weakest] = known
        known.changes.add(time, interval, changed)
        known.visits += 1

    def add_answer(self, time, failed):
        self.answers = (self.answers + [failed])[-20:]
        if len(self.answers) < 20 or sum(self.answers) <= 10:
            self.pauses = self.paused_until = 0
        elif failed and time >= self.paused_until:
            self.pauses = min(self.pauses + 1, 15)
            self.paused_until = time + back_off(self.pauses)

    def add_redirect(self, source, pattern, target):
        hashed = text_hash(target)
        if hashed not in self.targets:
            redirects = 0
            if len(self.targets) >= 16:
                weakest = min(self.targets, key=lambda h: (self.targets[h][2], h))
                redirects = self.targets.pop(weakest)[2]
            self.targets[hashed] = [set(), set(), redirects]
        known = self.targets[hashed]
        known[2] += 1
        for values, text, most in ((known[0], source, 10), (known[1], pattern, 2)):
            if len(values) < most:
                values.add(text_hash(text) & 0xffffffff)

    def is_sink(self, target):
        known = self.targets.get(text_hash(target))
        return known is not None and len(known[0]) >= 10 and len(known[1]) >= 2


@dataclasses.dataclass(frozen=True)
class Options:
    fetches_a_day: int  # in thousandths
    freshness: int
    least: int
    most: int
    bounds: tuple = ()  # (host, pattern, least, most)

    def bounds_of(self, host, pattern):
        for of_host, of_pattern, least, most in self.bounds:
            if of_host in ("", host) and of_pattern in (b"", pattern):
                return least, most
        return self.least, self.most


def options_of(schedule):
    """By the parameters of the log."""
    return Options(schedule.fetches_a_day * 1000 % (1 << 64), schedule.freshness,
                   min(schedule.min_seconds, MAX_SECONDS), min(schedule.max_seconds, MAX_SECONDS),
                   tuple((one.host, one.pattern.encode(), min(one.min_seconds, MAX_SECONDS),
                          min(one.max_seconds, MAX_SECONDS)) for one in schedule.bounds))


class Crawl:
    """What the schedules of all URLs share."""

    def __init__(self):
        self.options = None
        self.changes = Fading()
        self.counts = [0] * BUCKETS
        self.fetches = 0
        self.solve_at = 16
        self.threshold = None

    def set_options(self, options):
        if options != self.options:
            self.options = options
            self.threshold = solve(self.counts, options)

    def take(self, url, host, pattern, fetch, horizon=0, name=""):
        """(effect, history, next fetch, score at the horizon). The threshold is the one from before
        the fetch."""
        before = url.bucket
        effect, interval, history = take_fetch(url, fetch)
        if effect != "outdated":
            host.add_answer(fetch.time, effect in ("retry", "error")
                            and fetch.result != UNREADABLE)
            if effect in ("changed", "unchanged"):
                host.add_visit(pattern, fetch.time, interval, effect == "changed")
                self.changes.add(fetch.time, interval, effect == "changed")
        rate = self._rate(url, host, pattern) if url.has_rate() else 0
        bounds = self.options.bounds_of(name, pattern)
        after = max(self._next(url, host, rate, bounds), fetch.time + 1)
        score = self._score(url, host, rate, fetch.time + min(horizon, MAX_SECONDS), bounds)
        if effect != "outdated":
            url.bucket = bucket_of(rate) if url.has_rate() else None
            self._move(before, url.bucket)
            self.fetches += 1
            if self.fetches >= self.solve_at:
                self.solve_at = self.fetches + min(self.fetches, SOLVE_EVERY)
                self.threshold = solve(self.counts, self.options)
        return effect, history, after, score

    def forget(self, url):
        self._move(url.bucket, None)

    def _move(self, before, after):
        if before is not None and before != after:
            self.counts[before] = max(self.counts[before] - 1, 0)
        if after is not None and before != after:
            self.counts[after] += 1

    def _rate(self, url, host, pattern):
        def others(fading):
            own = url.years.copy()
            own.fade(url.last_visit, fading.as_of, YEARS)
            return fading.evidence.without(own)

        rate = estimate(self.changes.evidence, rate_of_mean(USUAL_MEAN), CRAWL_WEIGHT)
        rate = estimate(others(host.changes), rate, HOST_WEIGHT)
        like = host.find(pattern)
        if like is not None:
            rate = estimate(others(like.changes), rate, PATTERN_WEIGHT)
        rate = estimate(url.years, rate, URL_WEIGHT)
        return estimate(url.weeks, rate, WEEKS_WEIGHT)

    def _next(self, url, host, rate, bounds):
        not_before = max(url.not_before, host.paused_until)
        if not url.has_rate():
            return not_before
        interval = fetch_interval(rate, self.threshold, *bounds)
        return max(url.last_visit + interval, not_before)

    def _score(self, url, host, rate, now, bounds):
        if now < max(url.not_before, host.paused_until):
            return 0
        if not url.has_rate():
            return 5_000
        return score_of_fetch(rate, self.threshold, *bounds, max(now - url.last_visit, 0))
