"""Stages of a run: each leaves a marker when it is done, and is passed over if nothing changed."""

import os
import shutil

from crawlsieve_spark import files


class Stages:
    """The stages of one run, in the folder of its results.

    The marker of a stage, `.stages/NAME.json`, says what it was made of (digests of its inputs, and
    its settings) and what it made (a digest for each file). A stage is passed over where both still
    hold."""

    def __init__(self, folder, tell=lambda text: None):
        self.folder = folder
        self._tell = tell
        os.makedirs(os.path.join(folder, ".stages"), exist_ok=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def empty(self, name):
        """A folder for a stage's outputs, without those of before. Returns its path."""
        path = self.path(name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def known(self, name, inputs):
        """The value of a stage that was done for the same inputs, and whose outputs are intact; or
        None."""
        before = files.read_json(self._marker(name))
        if (before is None or before["inputs"] != files.digest_of_json(inputs)
                or not files.is_intact(self.folder, before["outputs"])):
            return None
        self._tell(f"{name}: done before, nothing changed")
        return before["value"]

    def run(self, name, inputs, make):
        """Calls make(), which returns its outputs as {name: digest} and a JSON value that is kept,
        unless that was done for the same inputs. Returns the value."""
        value = self.known(name, inputs)
        if value is not None:
            return value
        outputs, value = make()
        files.write_json(self._marker(name), {"inputs": files.digest_of_json(inputs),
                                              "outputs": outputs, "value": value})
        return value

    def _marker(self, name):
        return self.path(".stages", f"{name}.json")
