"""The commands: query, pairs, clusters, corpus."""

import argparse
import glob
import os
import shutil
import sys

from crawlsieve_spark.corpus import Corpus
from crawlsieve_spark.errors import Failed, Refused
from crawlsieve_spark.native import FAILED, INCOMPLETE, WRONG_INPUT
from crawlsieve_spark.pairs import clusters, pairs
from crawlsieve_spark.progress import tell
from crawlsieve_spark.query import query
from crawlsieve_spark.session import DEFAULT_MASTER, session
from crawlsieve_spark.stages import Stages


def _setting(text):
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f'"{text}" is not NAME=VALUE')
    return name, value


def _distance(text):
    if text not in "01234567" or len(text) != 1:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number from 0 to 7')
    return int(text)


def _count(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number from 1 on')
    return int(text)


def _parser():
    parser = argparse.ArgumentParser(
        prog="crawlsieve_spark", description="crawlsieve's batches on Spark: docs/spark.md.",
        epilog="Exit codes: those of crawlsieve.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, what):
        added = commands.add_parser(name, help=what, description=what)
        added.add_argument("--out", required=True, metavar="FOLDER",
                           help="results, and what a run after a failure goes on from; a folder "
                                "that every machine sees")
        added.add_argument("--program", default="crawlsieve",
                           help="the native program, on every machine (default: %(default)s)")
        added.add_argument("--master", help="Spark's master, unless spark-submit names one "
                                            f"(default: {DEFAULT_MASTER})")
        added.add_argument("--conf", type=_setting, action="append", default=[],
                           metavar="NAME=VALUE", help="a setting of Spark")
        return added

    def of_store(added):
        added.add_argument("store", metavar="STORE",
                           help="a snapshot, or a folder of chunks (crawlsieve index split)")
        added.add_argument("--max-distance", type=_distance, default=3, metavar="BITS",
                           help="bits (default: %(default)s)")
        added.add_argument("--parts", type=_count, default=0, metavar="N",
                           help="of a snapshot, each a task (default: one each 64 MiB)")

    asked = command("query", "Find what is near a list of fingerprints.")
    of_store(asked)
    asked.add_argument("--queries", required=True, metavar="LINES",
                       help="16 hexadecimal digits a line")
    of_store(command("pairs", "Find all near pairs within a set."))
    joined = command("clusters", "Put documents that pairs connect into clusters.")
    joined.add_argument("pairs", nargs="+", metavar="PAIRS",
                        help="the folder of results of pairs, or files that index pairs wrote")
    judged = command("corpus", "Judge the pages of files as crawlsieve scan does.")
    judged.add_argument("paths", nargs="+", metavar="PATH",
                        help="as for scan, and Parquet files; in this order")
    judged.add_argument("--config", metavar="FILE", help="configuration file (default: defaults)")
    judged.add_argument("--format", metavar="NAME", help="of JSON lines and Parquet rows")
    judged.add_argument("--field", type=_setting, action="append", default=[],
                        metavar="NAME=EXPRESSION",
                        help="a field of Parquet rows' records, as Spark SQL (default: a field for "
                             "each column)")
    judged.add_argument("--keep", metavar="COLUMNS",
                        help="columns of Parquet rows to have beside their verdicts, with commas "
                             "between (default: all that aren't body or text)")
    return parser


def _pair_files(paths):
    found = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        folder = os.path.join(path, "pairs") if os.path.isdir(os.path.join(path, "pairs")) else path
        parts = sorted(glob.glob(os.path.join(glob.escape(folder), "part-*.jsonl")))
        if not parts:
            raise Refused(f"{path}: no pairs in this folder")
        found += parts
    return found


def _run(arguments):
    program = shutil.which(arguments.program)
    if program is None:
        raise Refused(f"{arguments.program}: no such program; --program names crawlsieve's")
    program = os.path.abspath(program)
    stages = Stages(os.path.abspath(arguments.out), tell)
    with session(arguments.command, arguments.master, arguments.conf) as spark:
        if arguments.command == "query":
            count = query(spark, stages, program, arguments.store, arguments.queries,
                          arguments.max_distance, arguments.parts)
            print(f"{count} queries answered: {stages.path('answers')}")
        elif arguments.command == "pairs":
            made = pairs(spark, stages, program, arguments.store, arguments.max_distance,
                         arguments.parts)
            print(f"{made['pairs']} pairs: {stages.path('pairs')}")
        elif arguments.command == "clusters":
            lines = clusters(spark, stages, program, _pair_files(arguments.pairs))
            print(f"{lines} members of clusters: {stages.path('clusters.jsonl')}")
        else:
            corpus = Corpus(spark, stages, program, arguments)
            corpus.judge()
            print(corpus.summary())
            if corpus.damaged:
                return INCOMPLETE
    return 0


def main():
    arguments = _parser().parse_args()
    try:
        return _run(arguments)
    except Refused as refused:
        print(f"crawlsieve-spark: {refused}", file=sys.stderr)
        return WRONG_INPUT
    except Failed as failed:
        print(f"crawlsieve-spark: {failed}", file=sys.stderr)
        return FAILED
