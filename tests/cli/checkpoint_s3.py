"""Has `checkpoint create` upload to moto's S3 server with the script of docs/checkpoints.md, and
restores what was downloaded; see script/s3_oracle.

    checkpoint_s3.py PROGRAM
"""
import json
import logging
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

import boto3
from moto.server import ThreadedMotoServer

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "checkpoints.md"


def documented_script():
    """The script as it is printed there, and the place in the store that it names."""
    text = DOCUMENT.read_text()
    script = re.search(r"^    #!/bin/sh\n(?:    .*\n)+", text, re.MULTILINE).group(0)
    script = textwrap.dedent(script)
    return script, re.search(r's3://([^/]+)/([^/]+)/\$2', script)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock"}


def main(program):
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    script, place = documented_script()
    bucket, prefix = place.groups()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "http://127.0.0.1:%d" % server.get_host_and_port()[1]
    environment = os.environ | {
        "AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}
    assert shutil.which("aws"), "script/s3_oracle installs the store's tool"

    def run(*arguments, code=0):
        done = subprocess.run([*map(str, arguments)], text=True, capture_output=True, timeout=120,
                              env=environment, check=False)
        assert done.returncode == code, (arguments, done)
        return done.stdout

    store = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1",
                         aws_access_key_id="key", aws_secret_access_key="secret")
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        upload = root / "upload"
        upload.write_text(script)
        upload.chmod(0o755)
        create = [program, "checkpoint", "create", "--state", root / "state", "--to",
                  root / "repository", "--upload", upload, "--json"]
        made = []
        for number in range(2):
            page = root / f"page{number}.html"
            words = " ".join(f"word{number * 50 + i}" for i in range(80))
            page.write_text(f"<html><body><p>{words}</p></body></html>")
            run(program, "scan", page, "--state-dir", root / "state", "--out", root / "verdicts")
            if number == 0:
                run(*create, code=3)  # there is no such bucket
                store.create_bucket(Bucket=bucket)
            made.append(json.loads(run(*create)))
        assert all(checkpoint["uploaded"] for checkpoint in made), made
        keys = {item["Key"] for item in
                store.list_objects_v2(Bucket=bucket, Prefix=prefix + "/")["Contents"]}
        stored = {f"{prefix}/{name}" for name in contents(root / "repository") if name != "lock"}
        assert keys == stored, keys ^ stored

        run("aws", "s3", "sync", "--only-show-errors", f"s3://{bucket}/{prefix}", root / "down")
        assert run(program, "checkpoint", "verify", "--from", root / "down",
                   "--all").count("intact") == 2
        for source in ("repository", "down"):
            run(program, "checkpoint", "restore", "--from", root / source, "--state",
                root / f"of_{source}")
        restored = contents(root / "of_down")
        assert restored == contents(root / "of_repository") and "CURRENT" in restored
        print(f"{len(keys)} objects uploaded by the documented script; the state restored from "
              f"them is the same, {sum(map(len, restored.values()))} bytes")
    server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
