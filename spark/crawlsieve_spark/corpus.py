"""A corpus from scratch: pages are extracted in tasks, folded once in order, and their verdicts are
joined with them."""

import contextlib
import dataclasses
import datetime
import json
import multiprocessing.pool
import os
import shutil
import uuid
import warnings

from py4j.protocol import Py4JJavaError
from pyspark import inheritable_thread_target
from pyspark.errors import PySparkException
from pyspark.sql import functions as sql

from crawlsieve_spark import files, native, tasks
from crawlsieve_spark.errors import Failed, Refused
from crawlsieve_spark.inputs import batches_of, units_of
from crawlsieve_spark.stages import Stages

# Columns of a verdict: name, and where it is in the record (docs/schemas/verdict.schema.json).
_VERDICT = {
    "verdict": "verdict", "reason": "reason", "detail": "detail",
    "match_url": "match.url", "match_id": "match.id", "match_kind": "match.kind",
    "match_distance": "match.distance", "match_similarity": "match.similarity",
    "cluster_id": "cluster.id", "cluster_size": "cluster.size", "sequence": "sequence",
    "content_checksum": "fingerprint.content_checksum", "simhash": "fingerprint.simhash",
    "language": "fingerprint.language", "text_length": "fingerprint.text_length",
    "priority": "priority.score",
}
_RECORD = """
    id string, url string, canonical_url string, crawl_id string, verdict string, reason string,
    detail string, match struct<id: string, url: string, kind: string, distance: int,
    similarity: double>, cluster struct<id: bigint, size: bigint>, fingerprint struct<
    content_checksum: string, simhash: string, language: string, text_length: bigint>,
    priority struct<score: double>, source struct<`offset`: bigint>, sequence bigint"""
_UNIT = "unit int, first bigint, is_pages boolean, files array<string>"
# Fields of a page's record that are left out beside its verdict.
_BODIES = {"body", "text", "body_encoding"}


class Corpus:
    """The pages of files and what becomes of them, in the folder of `stages`:

        entries/       what extraction made of each unit of files
        dead_letters/  its records without a URL
        verdicts/      its verdicts, as scan writes them
        table/         the verdicts as columns, with the file and the record's number in it
        groups/        pages that repeat another, with the kept page that they repeat
        joined/        rows of Parquet files with the columns of their verdicts
    """

    def __init__(self, spark, stages, program, arguments):
        self._spark = spark
        self._context = spark.sparkContext
        self._stages = stages
        config = os.path.abspath(arguments.config) if arguments.config else None
        self._fields = dict(arguments.field)
        self._keep = arguments.keep.split(",") if arguments.keep else None
        self._paths = arguments.paths
        try:
            settings = {"program": native.run(program, ["--version"])[0].decode(),
                        "config": files.digest_of(config) if config else None,
                        "format": arguments.format}
        except OSError as error:
            raise Refused(f"{error.filename}: {error.strerror}") from error
        self.extraction = _Extraction(program, config, arguments.format, stages.folder, settings)
        self._extracted = []
        self._folded = None

    def judge(self):
        units = units_of(self._paths)
        for name in ("entries", "dead_letters", ".stages/extract"):
            os.makedirs(self._stages.path(name), exist_ok=True)
        self._extracted = self._extract(units)
        self._folded = self._fold()
        if self._folded["pages"] == 0:
            raise Refused(f"none of the {self._total('records')} records in these files is a page")
        self._tables(units)

    @property
    def damaged(self):
        """Files of which something could not be read."""
        return self._total("damaged_files")

    def summary(self):
        text = (f"{self._folded['pages']} pages, {self._folded['kept']} kept, "
                f"{self._folded['dropped']} dropped; {self._total('dead_letters')} dead letters: "
                f"{self._stages.folder}")
        notes = [line for unit in self._extracted for line in unit["warnings"]]
        if self.damaged:
            notes.append(f"{self.damaged} files damaged: what could be read of them was judged")
        return "\n".join([*notes, text])

    def _total(self, count):
        return sum(unit[count] for unit in self._extracted)

    def _extract(self, units):
        """What each unit came to. A unit is extracted again only if something changed."""
        batches = batches_of(units)
        done = tasks.results("extract", self._context.parallelize(batches, len(batches)),
                             self.extraction)
        extracted = {one["unit"]: one for batch in done for one in batch}
        parquet = [unit for unit in units if "known" in extracted[unit.number]
                   and not extracted[unit.number]["known"]]
        if parquet:
            with self._whole_files(), multiprocessing.pool.ThreadPool(
                    max(1, self._context.defaultParallelism)) as pool:
                run = inheritable_thread_target(self._spark)(self._extract_rows)
                for one in pool.map(run, parquet):
                    extracted[one["unit"]] = one
        return [extracted[unit.number] for unit in units]

    def _extract_rows(self, unit):
        """The same of a Parquet file, which Spark turns into lines of JSON."""
        rows = self._rows(unit.paths)
        with tasks.spark_errors(unit.paths[0]):
            expected = rows.count()
        for name, expression in self._fields.items():
            rows = rows.withColumn(name, sql.expr(expression))
        binary = [field.name for field in rows.schema if field.dataType.typeName() == "binary"]
        if "body" in binary and "body_encoding" not in rows.columns:
            rows = rows.withColumn("body_encoding", sql.lit("base64"))
        with warnings.catch_warnings():
            # A later version gives a table instead; this one is fixed (script/spark).
            warnings.simplefilter("ignore")
            lines = rows.toJSON(use_unicode=False)
        if lines.getNumPartitions() > 1:
            raise Failed(f"{unit.paths[0]}: Spark reads it in parts, which have no order")
        work = RowExtraction(self.extraction, unit, expected)
        return tasks.collect(f"extract {os.path.basename(unit.paths[0])}",
                             lines.mapPartitions(work))[0]

    @contextlib.contextmanager
    def _whole_files(self):
        """Has Spark read each file in one part meanwhile: its records have an order."""
        settings = {"spark.sql.files.maxPartitionBytes": str(1 << 50),
                    "spark.sql.files.minPartitionNum": "1",
                    # Rows that are decoded at a time. Pages have some ten kilobytes, the largest
                    # megabytes; by default there are 4,096.
                    "spark.sql.parquet.columnarReaderBatchSize": "128"}
        before = {name: self._spark.conf.get(name, None) for name in settings}
        for name, value in settings.items():
            self._spark.conf.set(name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    self._spark.conf.unset(name)
                else:
                    self._spark.conf.set(name, value)

    def _rows(self, paths):
        try:
            return self._spark.read.parquet(*(f"file://{path}" for path in paths))
        except (PySparkException, Py4JJavaError) as error:
            why = str(getattr(error, "java_exception", error)).splitlines()[0]
            raise Refused(f"{', '.join(paths)}: Spark can't read it as Parquet: {why}") from error

    def _fold(self):
        names = [unit["entries"] for unit in self._extracted]
        work = _Fold(self.extraction.program, self.extraction.config, self._stages.folder, names)
        inputs = {"settings": self.extraction.settings,
                  "entries": [[unit["entries"], unit["sha256"]] for unit in self._extracted]}

        def make():
            one = self._context.parallelize([0], 1)
            return tasks.results("fold", one, work)[0]

        return self._stages.run("fold", inputs, make)

    def _tables(self, units):
        inputs = {"verdicts": self._folded["verdicts"], "keep": self._keep,
                  "paths": [unit.paths for unit in units]}
        self._stages.run("tables", inputs, lambda: self._make_tables(units))

    def _make_tables(self, units):
        name = f".tables-{uuid.uuid4().hex}"
        with tasks.spark_errors("tables"):
            self._table(units).write.parquet(self._url(name, "table"))
            table = self._spark.read.parquet(self._url(name, "table"))
            _groups(table).write.parquet(self._url(name, "groups"))
            parquet = [unit.paths[0] for unit in units if unit.kind == "parquet"]
            if parquet:
                self._joined(table, parquet).write.parquet(self._url(name, "joined"))
        outputs = {}
        for part in ("table", "groups", "joined"):
            shutil.rmtree(self._stages.path(part), ignore_errors=True)
            if os.path.isdir(self._stages.path(name, part)):
                os.rename(self._stages.path(name, part), self._stages.path(part))
                outputs |= {f"{part}/{file}": files.digest_of(self._stages.path(part, file))
                            for file in os.listdir(self._stages.path(part))}
        os.rmdir(self._stages.path(name))
        return outputs, len(outputs)

    def _url(self, *names):
        return f"file://{self._stages.path(*names)}"

    def _table(self, units):
        verdicts = self._spark.read.schema(_RECORD).json(self._url("verdicts"))
        unit = sql.substring("_metadata.file_name", 1, 6).cast("int")
        rows = []
        first = 1  # in front of it are the parameters
        for made, one in zip(self._extracted, units, strict=True):
            rows.append((one.number, first, one.kind == "pages", list(one.paths)))
            first += made["records"]
        known = self._spark.createDataFrame(rows, _UNIT)
        place = sql.expr("int(source.`offset` - first)")
        file = sql.when(sql.col("is_pages"), sql.expr("files[int(source.`offset` - first)]"))
        record = sql.when(sql.col("is_pages"), 1).otherwise(place + 1)
        columns = [sql.col(where).alias(name) for name, where in _VERDICT.items()]
        return verdicts.withColumn("unit", unit).join(sql.broadcast(known), "unit").select(
            file.otherwise(sql.expr("files[0]")).alias("file"), record.alias("record"), "id", "url",
            "canonical_url", "crawl_id", *columns)

    def _joined(self, table, paths):
        rows = self._rows(paths)
        columns = self._keep or [name for name in rows.columns if name not in _BODIES]
        missing = [name for name in columns if name not in rows.columns]
        if missing:
            raise Refused(f"--keep: the Parquet files have no column {', '.join(missing)}; they "
                          f"have {', '.join(rows.columns)}")
        row = rows.select(
            sql.struct(*columns).alias("page"),
            sql.expr("url_decode(replace(regexp_replace(_metadata.file_path, '^file:/+', '/'), "
                     "'+', '%2B'))").alias("file"),
            (sql.col("_metadata.row_index") + 1).cast("int").alias("record"))
        verdicts = table.select("file", "record", "canonical_url", *_VERDICT)
        return row.join(verdicts, ["file", "record"], "left")


def _groups(table):
    """Each page that repeats another one, with that one."""
    repeats = table.where("cluster_id is not null and cluster_id != sequence")
    kept = table.select(sql.col("sequence").alias("cluster_id"), sql.col("file").alias("kept_file"),
                        sql.col("record").alias("kept_record"), sql.col("url").alias("kept_url"))
    return repeats.join(kept, "cluster_id", "left").select(
        "cluster_id", "kept_file", "kept_record",
        sql.coalesce("kept_url", "match_url").alias("kept_url"), "file", "record", "url", "verdict",
        "reason", "match_kind", "match_distance", "match_similarity")


@dataclasses.dataclass
class _Extraction:
    """Extracts units of files. Of a Parquet file it says whether that was done before."""
    program: str
    config: str
    format: str
    folder: str
    settings: dict

    def __call__(self, units):
        return [self._extract(unit) for unit in units]

    def _extract(self, unit):
        inputs = {"files": unit.identity(), "settings": self.settings}
        stages = Stages(self.folder)
        if unit.kind == "parquet":
            return stages.known(f"extract/{unit.name}", inputs) or {"unit": unit.number,
                                                                     "known": False}
        return stages.run(f"extract/{unit.name}", inputs,
                          lambda: self.make(unit, unit.paths, None))

    def make(self, unit, paths, feed):
        """Entries of `paths`, or of what feed(program) gives to standard input."""
        entries = f"entries/{unit.name}.entries"
        dead_letters = f"dead_letters/{unit.name}.jsonl"
        with files.appearing(os.path.join(self.folder, dead_letters)) as dead, \
                files.appearing(os.path.join(self.folder, entries)) as made:
            arguments = ["entries", "extract", *paths, "--out", made, "--dead-letters", dead,
                         "--threads", 1, "--json"]
            if self.config:
                arguments += ["--config", self.config]
            if self.format:
                arguments += ["--format", self.format]
            with native.start(self.program, arguments, native.PIPE if feed else native.DEVNULL) \
                    as running:
                if feed:
                    feed(running)
                summary = json.loads(running.stdout.read() or b"{}")
                running.finish((native.DONE, native.INCOMPLETE))
                notes = [line for line in running.messages().splitlines()
                         if line.startswith("warning: ")]
            outputs = {entries: files.digest_of(made), dead_letters: files.digest_of(dead)}
        if unit.kind == "pages" and summary["records"] != len(unit.paths):
            raise Failed(f"{unit.paths[0]}: {summary['records']} records in {len(unit.paths)} "
                         "files of one each")
        return outputs, {"unit": unit.number, "entries": entries, "sha256": outputs[entries],
                         "records": summary["records"], "dead_letters": summary["dead_letters"],
                         "damaged_files": summary["damaged_files"], "warnings": notes}


@dataclasses.dataclass
class RowExtraction:
    """Extracts the rows of a Parquet file, which come as lines."""
    extraction: _Extraction
    unit: object
    # Where Spark's Java dies, a task's rows just end, and this goes on for a moment.
    expected: int

    def __call__(self, rows):
        return [tasks.outcome(lambda: self._extract(rows))]

    def _extract(self, rows):
        extraction = self.extraction
        inputs = {"files": self.unit.identity(), "settings": extraction.settings}
        modified = datetime.datetime.fromtimestamp(
            os.stat(self.unit.paths[0]).st_mtime_ns // 1_000_000 / 1000, datetime.timezone.utc)
        time = modified.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        count = 0

        def feed(running):
            nonlocal count
            for row in rows:
                running.stdin.write(row)
                running.stdin.write(b"\n")
                count += 1
            running.stdin.close()

        def make():
            outputs, made = extraction.make(self.unit, ["-", "--modified", time], feed)
            if not made["records"] == count == self.expected:
                raise Failed(f"{self.unit.paths[0]}: {made['records']} records of {count} rows, "
                             f"where the file has {self.expected}")
            return outputs, made

        return Stages(extraction.folder).run(f"extract/{self.unit.name}", inputs, make)


@dataclasses.dataclass
class _Fold:
    """Folds all entries in order."""
    program: str
    config: str
    folder: str
    names: list

    def __call__(self, _):
        verdicts = os.path.join(self.folder, "verdicts")
        half = f"{verdicts}.{uuid.uuid4().hex}.tmp"
        arguments = ["entries", "fold", *self.names, "--out", half, "--json"]
        if self.config:
            arguments += ["--config", self.config]
        try:
            summary = json.loads(native.run(self.program, arguments, cwd=self.folder)[0])
            outputs = {f"verdicts/{file}": files.digest_of(os.path.join(half, file))
                       for file in sorted(os.listdir(half))}
            shutil.rmtree(verdicts, ignore_errors=True)
            os.rename(half, verdicts)
        finally:
            shutil.rmtree(half, ignore_errors=True)
        return outputs, {"pages": summary["pages"], "kept": summary["kept"],
                         "dropped": summary["dropped"], "verdicts": outputs}
