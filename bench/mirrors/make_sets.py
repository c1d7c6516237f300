#!/usr/bin/env python3
"""Makes pairs of sites, some of them mirrors, out of real documentation, for bench/mirrors.

    make_sets.py WORK [--pages 200] [--seed 1]

Documentation is taken from Debian packages (apt-get download) and from jars of Maven Central, by
name, into WORK/packages. Each pair is a file in WORK/sets: page records in the order of the fetches,
with attrs.kind, which begins with "mirror" for pairs of mirrors. So labels are by construction. Of
each package the same paths are taken in all versions. The same packages and options give the same
sets.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import zipfile

# Versions of one documentation, the older first.
DEBIAN = (
    ("libboost1.74-doc", "libboost1.81-doc"),
    ("llvm-13-doc", "llvm-14-doc", "llvm-15-doc", "llvm-16-doc"),
    ("clang-14-doc", "clang-15-doc", "clang-16-doc"),
    ("libstdc++-11-doc", "libstdc++-12-doc"),
    ("libgtk-3-doc", "libgtk-4-doc"),
    ("python3.11-doc",), ("postgresql-doc-15",), ("python-django-doc",), ("sqlite3-doc",),
    ("git-doc",), ("apache2-doc",), ("python-sqlalchemy-doc",), ("debian-handbook",),
    ("libglib2.0-doc",), ("erlang-doc",), ("wx3.2-doc",), ("libeigen3-doc",), ("ghc-doc",),
    ("qtbase5-doc-html",), ("python-scipy-doc",), ("libpango1.0-doc",),
)
JARS = (
    ("org/apache/commons/commons-lang3", "3.11", "3.12.0", "3.13.0", "3.14.0"),
    ("commons-io/commons-io", "2.11.0", "2.12.0", "2.13.0"),
    ("org/apache/commons/commons-collections4", "4.3", "4.4"),
    ("com/google/guava/guava", "31.0.1-jre", "31.1-jre", "32.1.3-jre"),
    ("com/fasterxml/jackson/core/jackson-databind", "2.14.2", "2.15.0", "2.15.1"),
    ("org/junit/jupiter/junit-jupiter-api", "5.9.2", "5.9.3"),
    ("org/jsoup/jsoup", "1.16.1", "1.17.1"),
    ("org/postgresql/postgresql", "42.5.4", "42.6.0"),
    ("io/netty/netty-common", "4.1.94.Final", "4.1.100.Final"),
    ("org/springframework/spring-core", "5.3.30", "6.0.13"),
    ("org/apache/lucene/lucene-core", "9.5.0", "9.8.0"),
    ("org/slf4j/slf4j-api", "2.0.7", "2.0.9"),
)
MIN_BYTES = 500
MAX_BYTES = 200_000
LEAST_PAGES = 30


def number_of(text):
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "big")


def debian_package(name, folder):
    root = os.path.join(folder, name)
    if not os.path.isdir(root):
        subprocess.run(["apt-get", "download", "-q", name], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        package = next(file for file in sorted(os.listdir(folder))
                       if file.startswith(name + "_") and file.endswith(".deb"))
        subprocess.run(["dpkg-deb", "-x", package, name], cwd=folder, check=True)
        os.remove(os.path.join(folder, package))
    return root


def jar(path, version, folder):
    name = f"{os.path.basename(path)}-{version}"
    root = os.path.join(folder, name)
    if not os.path.isdir(root):
        group, artifact = os.path.split(path)
        subprocess.run(["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
                        f"-Dartifact={group.replace('/', '.')}:{artifact}:{version}:jar:javadoc",
                        f"-DoutputDirectory={folder}"], check=True)
        file = os.path.join(folder, f"{name}-javadoc.jar")
        with zipfile.ZipFile(file) as archive:
            archive.extractall(root)
        os.remove(file)
    return root


def pages_in(root):
    """Pages by their path below the folder that all of them are in."""
    files = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        files += [os.path.join(folder, name) for name in sorted(names)
                  if name.endswith((".html", ".htm"))]
    files = [file for file in files
             if not os.path.islink(file) and MIN_BYTES < os.path.getsize(file) < MAX_BYTES]
    if not files:
        return {}
    top = os.path.commonpath([os.path.dirname(file) for file in files])
    return {os.path.relpath(file, top): file for file in files}


class Documentation:
    """One version of a package: so many of its pages, of all versions those of the same paths."""

    def __init__(self, name, root, count):
        self.name = name
        self.bodies = {}
        for path, file in sorted(pages_in(root).items(), key=lambda page: number_of(page[0]))[:count]:
            with open(file, encoding="utf-8", errors="replace") as text:
                self.bodies[path] = text.read()

    def part(self, number, of):
        """Whole folders, so far as there are any; else single pages."""
        folders = {os.path.dirname(path) for path in self.bodies}
        key = os.path.dirname if len(folders) >= 2 * of else str
        return {path: body for path, body in self.bodies.items()
                if number_of(f"{of} {key(path)}") % of == number}


def record_of(host, path, body, kind):
    return {"url": f"{host}/{path}", "status_code": 200, "content_type": "text/html", "body": body,
            "attrs": {"kind": kind}}


class Sets:
    def __init__(self, folder, seed):
        self._folder = folder
        self._seed = seed
        os.makedirs(folder, exist_ok=True)

    def write(self, name, kind, first, second, at_once=False):
        """`first` and `second`: bodies by path. The second host comes second, or both at once."""
        hosts = ("http://docs.one.example", "https://two.example")
        fetches = []
        for host, bodies in zip(hosts, (first, second)):
            chance = random.Random(f"{self._seed} {name} {kind} {host}")
            of_host = [record_of(host, path, body, kind) for path, body in sorted(bodies.items())]
            chance.shuffle(of_host)
            fetches += of_host
        if at_once:
            random.Random(f"{self._seed} {name} {kind}").shuffle(fetches)
        file = f"{kind}, {name}".replace(" ", "_").replace(",", "") + ".jsonl"
        with open(os.path.join(self._folder, file), "w", encoding="utf-8") as out:
            for fetch in fetches:
                out.write(json.dumps(fetch) + "\n")


def without_some(bodies, one_in):
    return {path: body for path, body in bodies.items() if number_of("gone " + path) % one_in}


def with_stamps(bodies, one_in):
    """Some pages say when they were made, as the server puts it."""
    return {path: body if number_of("stamp " + path) % one_in else body + f"<!-- made for {path} -->"
            for path, body in bodies.items()}


def write_all(sets, families):
    every = [version for family in families for version in family
             if len(version.bodies) >= LEAST_PAGES]
    for number, site in enumerate(every):
        other = every[(number + 7) % len(every)]
        further = every[(number + 13) % len(every)]
        bodies = site.bodies
        sets.write(site.name, "mirror, one after the other", bodies, bodies)
        sets.write(site.name, "mirror, both at once", bodies, bodies, at_once=True)
        sets.write(site.name, "mirror that lacks some pages, with stamps on others", bodies,
                   with_stamps(without_some(bodies, 10), 20))
        sets.write(site.name, "mirror of a crawl that has come half way", bodies,
                   dict(sorted(bodies.items(), key=lambda page: number_of("way " + page[0]))
                        [:len(bodies) // 2]))
        sets.write(site.name, "part of the pages", {**other.bodies, **bodies},
                   {**further.bodies, **site.part(0, 3)})
        sets.write(site.name, "part of the pages, both at once", {**other.bodies, **bodies},
                   {**further.bodies, **site.part(1, 3)}, at_once=True)
        sets.write(site.name, "strangers", bodies, other.bodies)
    for family in families:
        for older, newer in zip(family, family[1:]):
            name = f"{older.name} {newer.name}"
            sets.write(name, "next version", older.bodies, newer.bodies)
            sets.write(name, "next version, both at once", older.bodies, newer.bodies, at_once=True)
            sets.write(name, "version before", newer.bodies, older.bodies)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work")
    parser.add_argument("--pages", type=int, default=200, help="of a site, at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = os.path.join(options.work, "packages")
    os.makedirs(folder, exist_ok=True)
    families = [[Documentation(name, debian_package(name, folder), options.pages)
                 for name in names] for names in DEBIAN]
    families += [[Documentation(f"{os.path.basename(path)}-{version}", jar(path, version, folder),
                                options.pages) for version in versions]
                 for path, *versions in JARS]
    write_all(Sets(os.path.join(options.work, "sets"), options.seed), families)


if __name__ == "__main__":
    main()
