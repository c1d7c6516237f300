"""Runs a piece of work as a Spark job."""

import contextlib
import re

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from crawlsieve_spark.errors import Failed, Refused
from crawlsieve_spark.progress import watching


def results(name, items, work):
    """What work(item) returns for each item of an RDD, in their order. A task that fails is run
    again by Spark; one that refuses its input isn't."""
    return collect(name, items.map(_Attempt(work)))


def collect(name, outcomes):
    """Values of an RDD of outcome()."""
    with watching(outcomes.context, name), spark_errors(name):
        ended = outcomes.collect()
    refused = [one["refused"] for one in ended if "refused" in one]
    if refused:
        raise Refused("\n".join(dict.fromkeys(refused)))
    return [one["value"] for one in ended]


@contextlib.contextmanager
def spark_errors(name):
    """Raises Failed for what Spark raises."""
    try:
        yield
    except Py4JJavaError as error:
        raise Failed(f"{name}: {_reason(str(error.java_exception))}") from error
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise Failed(f"{name}: {_reason(str(error)) or type(error).__name__}; if Spark's Java "
                     "ended, see what it said, and whether spark.driver.memory is enough"
                     ) from error


def outcome(make):
    """What make() returns or refuses, as a value: Spark would try a task again that raises."""
    try:
        return {"value": make()}
    except Refused as refused:
        return {"refused": str(refused)}


class _Attempt:
    def __init__(self, work):
        self._work = work

    def __call__(self, item):
        return outcome(lambda: self._work(item))


def _reason(text):
    """The last line of the Python exception in a failed job, or the first of Java's."""
    raised = re.findall(r"^(?:\w+\.)*(?:Failed|Refused|\w+Error): (.*)$", text, re.M)
    return raised[-1] if raised else text.partition("\n")[0]
