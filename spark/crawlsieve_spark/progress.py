"""What a run tells on standard error while it works."""

import contextlib
import sys
import threading
import time

_INTERVAL = 1.0
_LINES_APART = 10.0


def tell(text):
    print(f"crawlsieve-spark: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def watching(context, name):
    """Tells how many tasks of the Spark jobs that this thread starts are done, now and then."""
    group = f"crawlsieve {name}"
    context.setJobGroup(group, name)
    begin = time.monotonic()
    ended = threading.Event()

    def watch():
        told_at, told = begin, None
        while not ended.wait(_INTERVAL):
            done, all_tasks = _tasks_of(context, group)
            now = time.monotonic()
            if all_tasks and (done, all_tasks) != told and now - told_at >= _LINES_APART:
                tell(f"{name}: {done} of {all_tasks} tasks, {now - begin:.0f} s")
                told_at, told = now, (done, all_tasks)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
    tell(f"{name}: done in {time.monotonic() - begin:.1f} s")


def _tasks_of(context, group):
    tracker = context.statusTracker()
    done = all_tasks = 0
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info else ():
            of_stage = tracker.getStageInfo(stage)
            if of_stage:
                done += of_stage.numCompletedTasks
                all_tasks += of_stage.numTasks
    return done, all_tasks
