"""Has crawlsieve read bodies from moto's S3 server, which checks signatures; see script/s3_oracle.

    s3_oracle.py PROGRAM
"""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import urllib.request

import boto3
import botocore.config
from moto.server import ThreadedMotoServer

PAGES = 200
REGION = "eu-central-1"
BUCKET = "crawls"
FILES = ["plain.warc.gz", "2024/a-b_c~d.e.warc.gz"]
# What needs encoding in a path. moto refuses such names also where its own client signs them, so
# they are read while it checks nothing; S3SignatureTest checks their signatures.
ENCODED_FILES = ["2024/a b+c=d&e@f(1).warc.gz", "2024/gr\u00f6\u00dfe.warc.gz"]


def members():
    """URL and WARC record of each page."""
    generator = random.Random(5)
    body = ""
    for number in range(PAGES):
        if number % 5 != 4:
            body = " ".join(f"w{generator.randrange(20_000)}" for _ in range(300))
        url = f"http://h{number % 7}.example/{number}"
        page = f"<!doctype html><title>{number}</title><p>{body}".encode()
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
        head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
                f"WARC-Date: 2024-05-06T07:08:09Z\r\n"
                f"Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(block)}\r\n\r\n").encode()
        digest = base64.b32encode(hashlib.sha1(page).digest()).decode()
        yield url, digest, gzip.compress(head + block + b"\r\n\r\n")


def write_files(folder):
    """The files, and one reference for each page."""
    references = []
    names = FILES + ENCODED_FILES
    files = {name: b"" for name in names}
    for number, (url, digest, member) in enumerate(members()):
        name = names[number * len(names) // PAGES]
        references.append({"url": url, "body_ref": {
            "uri": name, "offset": len(files[name]), "length": len(member), "sha1": digest}})
        files[name] += member
    for number, (name, data) in enumerate(files.items()):
        (folder / f"{number}.warc.gz").write_bytes(data)
    return files, references


class Store:
    """An S3 server with a bucket and one user, who may read and list it."""

    def __init__(self, files):
        os.environ["AWS_ACCESS_KEY_ID"] = os.environ["AWS_SECRET_ACCESS_KEY"] = "nobody"
        self.server = ThreadedMotoServer(port=0, verbose=False)
        self.server.start()
        host, port = self.server.get_host_and_port()
        self.url = f"http://{host}:{port}/"
        s3 = self.client("s3")
        s3.create_bucket(Bucket=BUCKET,
                         CreateBucketConfiguration={"LocationConstraint": REGION})
        for name, data in files.items():
            s3.put_object(Bucket=BUCKET, Key=name, Body=data)
        iam = self.client("iam")
        iam.create_user(UserName="reader")
        policy = {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}]}
        iam.put_user_policy(UserName="reader", PolicyName="read",
                            PolicyDocument=json.dumps(policy))
        key = iam.create_access_key(UserName="reader")["AccessKey"]
        self.access_key, self.secret_key = key["AccessKeyId"], key["SecretAccessKey"]

    def check_signatures(self):
        """From here on every request must be signed."""
        request = urllib.request.Request(self.url + "moto-api/reset-auth", data=b"0",
                                         headers={"Content-Type": "text/plain"})
        urllib.request.urlopen(request, timeout=60).close()

    def client(self, service, **keys):
        return boto3.client(service, endpoint_url=self.url, region_name=REGION,
                            config=botocore.config.Config(signature_version="s3v4", s3={
                                "addressing_style": "path"}) if service == "s3" else None, **keys)

    def presigned(self, name):
        s3 = self.client("s3", aws_access_key_id=self.access_key,
                         aws_secret_access_key=self.secret_key)
        return s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": name})

    def config(self, bucket=BUCKET, **keys):
        s3 = {"region": REGION, "access_key": self.access_key, "secret_key": self.secret_key}
        return {"url": f"{self.url}{bucket}/", "allow_private_addresses": "true",
                "s3": {**s3, **keys}}


class Program:
    def __init__(self, path, folder):
        self.path = path
        self.folder = folder

    def run(self, command, inputs, bodies, *arguments):
        config = self.folder / "config.yaml"
        config.write_text(json.dumps({"kafka": {"input": {"bodies": bodies}}}))
        return subprocess.run([self.path, *command, *map(str, inputs), "--config", str(config),
                               *arguments], capture_output=True, text=True, check=False,
                              timeout=600)

    def write(self, references):
        path = self.folder / "references.jsonl"
        path.write_text("".join(json.dumps(reference) + "\n" for reference in references))
        return path

    def scan(self, inputs, bodies):
        """The verdicts without what depends on the run."""
        out = self.folder / "verdicts"
        done = self.run(["scan"], inputs, bodies, "--out", str(out))
        if done.returncode != 0:
            raise SystemExit(f"s3_oracle: scan failed: {done.stderr}")
        verdicts = []
        for line in out.read_text().splitlines():
            verdict = json.loads(line)
            for field in ("processed_at", "instance", "source"):
                del verdict[field]
            verdicts.append(verdict)
        return verdicts

    def sample(self, reference, bodies):
        """What the page of one reference would become."""
        done = self.run(["check", "--sample"], [self.write([reference])], bodies, "--json")
        secret = bodies["s3"]["secret_key"]
        if secret and secret in done.stdout + done.stderr:
            raise SystemExit("s3_oracle: the secret key is shown")
        return json.loads(done.stdout)["records"][0]


def expect(what, is_right, shown=""):
    print(f"{'right' if is_right else 'WRONG'}  {what}  {shown}")
    return is_right


def with_uri(reference, uri):
    return {**reference, "body_ref": {**reference["body_ref"], "uri": uri}}


def main():
    with tempfile.TemporaryDirectory(prefix="crawlsieve-s3-") as name:
        folder = pathlib.Path(name)
        files, references = write_files(folder)
        program = Program(sys.argv[1], folder)
        expected = program.scan(sorted(folder.glob("*.warc.gz")), {})
        reasons = {verdict["reason"] for verdict in expected}
        right = expect("the files have pages of several reasons",
                       len(expected) == PAGES and len(reasons) > 1, sorted(reasons))
        store = Store(files)
        try:
            def scan(what, files, uri):
                nonlocal right
                chosen = [number for number, reference in enumerate(references)
                          if reference["body_ref"]["uri"] in files]
                spelled = [with_uri(references[number], uri(references[number]["body_ref"]["uri"]))
                           for number in chosen]
                urls = {reference["url"] for reference in spelled}
                verdicts = program.scan([program.write(spelled)], store.config())
                right &= expect(
                    f"{what}: {len(chosen)} verdicts, those of the files",
                    verdicts == [verdict for verdict in expected if verdict["url"] in urls])
                right &= expect(f"{what}: no verdict has a query",
                                "X-Amz" not in json.dumps(verdicts))

            every = FILES + ENCODED_FILES
            presigned = {name: store.presigned(name) for name in every}
            scan("names", every, lambda name: name)
            scan("presigned URLs", every, presigned.get)
            store.check_signatures()
            scan("names, signed", FILES, lambda name: name)
            scan("s3:// URLs, signed", FILES, lambda name: f"s3://{BUCKET}/{name}")
            first = references[0]
            for what, reference, bodies, field, text in (
                    ("a wrong secret key: waits", first, store.config(secret_key="wrong"),
                     "waits", "HTTP 403"),
                    ("an unknown access key: waits", first, store.config(access_key="AKIDWRONG"),
                     "waits", "HTTP 403"),
                    ("unsigned: waits", first, store.config(access_key="", secret_key=""),
                     "waits", "HTTP "),
                    ("no such bucket: waits", first, store.config(bucket="elsewhere"), "waits",
                     "no such bucket"),
                    ("no such object", with_uri(first, "2024/none.warc.gz"), store.config(),
                     "not_evaluated", "body_not_found"),
                    ("behind the end", {**first, "body_ref": {
                        **first["body_ref"], "offset": 10**9}}, store.config(), "not_evaluated",
                     "body_not_found"),
                    ("another digest", {**first, "body_ref": {
                        **first["body_ref"], "sha1": "A" * 32}}, store.config(), "not_evaluated",
                     "digest_mismatch")):
                found = program.sample(reference, bodies)
                right &= expect(what, text in str(found.get(field)), found.get(field, found))
        finally:
            store.server.stop()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
