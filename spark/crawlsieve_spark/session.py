"""The Spark session that commands run in."""

import contextlib
import os
import tempfile
import zipfile

from pyspark import SparkConf
from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*,4]"

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


@contextlib.contextmanager
def session(name, master=None, settings=()):
    """A session, stopped at the end. What spark-submit was told goes before `master`, and
    `settings`, pairs of a name and a value, before everything."""
    conf = SparkConf()
    if not conf.contains("spark.master"):
        conf.setMaster(master or DEFAULT_MASTER)
    defaults = {
        "spark.app.name": f"crawlsieve {name}",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    is_local = conf.get("spark.master").startswith("local")
    if is_local:
        defaults |= {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
                     "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "2g"}
    for key, value in defaults.items():
        conf.setIfMissing(key, value)
    for key, value in settings:
        conf.set(key, value)
    if is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    spark = SparkSession.builder.config(conf=conf).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        with contextlib.ExitStack() as stack:
            if not is_local:
                spark.sparkContext.addPyFile(stack.enter_context(_package()))
            yield spark
    finally:
        spark.stop()


@contextlib.contextmanager
def _package():
    """This package as an archive, for the machines that run tasks."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "crawlsieve_spark.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(os.listdir(_PACKAGE)):
                if file.endswith(".py"):
                    archive.write(os.path.join(_PACKAGE, file), f"crawlsieve_spark/{file}")
        yield path
