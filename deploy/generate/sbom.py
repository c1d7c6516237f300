#!/usr/bin/env python3
"""Prints what a program is made of, as a bill of materials (CycloneDX 1.5, JSON).

    sbom.py PROGRAM [BUILD_FOLDER]

Shared libraries are those that the dynamic linker loads. With BUILD_FOLDER, a build by Ninja, also
what was compiled in: packages whose headers or archives went into the program, and of which no
shared library is loaded. Each is named with the Debian package it came from on this machine.
"""

import json
import pathlib
import re
import subprocess
import sys
import uuid


def run(*command, cwd=None):
    return subprocess.run(command, text=True, check=True, cwd=cwd, stdout=subprocess.PIPE,
                          timeout=300).stdout


def shared_libraries(program):
    paths = set(re.findall(r"(/\S+) \(0x", run("ldd", program)))
    if not paths:
        raise SystemExit(f"sbom: ldd names no library of {program}")
    return paths


def compiled_in(build, program):
    """System headers and archives that went into the program."""
    inputs = run("ninja", "-t", "inputs", program, cwd=build).split()
    objects = [path for path in inputs if path.endswith(".o")]
    deps = run("ninja", "-t", "deps", *objects, cwd=build)
    headers = set(re.findall(r"^ +(/usr/\S+)$", deps, re.MULTILINE))
    if not headers:
        raise SystemExit(f"sbom: {build} knows no headers; build the program there first")
    return headers | {path for path in inputs if path.startswith("/") and path.endswith(".a")}


def packages_of(paths):
    """Names of the Debian packages that own the files."""
    names = set()
    # /lib is a link to /usr/lib, and dpkg knows a file by one of the two names.
    spellings = sorted({spelt for path in paths for real in [str(pathlib.Path(path).resolve())]
                        for spelt in (path, real, real.removeprefix("/usr"))})
    for begin in range(0, len(spellings), 500):
        # Fails where a file belongs to no package, but prints the others.
        found = subprocess.run(["dpkg-query", "--search", *spellings[begin:begin + 500]], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300,
                               check=False).stdout
        names.update(name for line in found.splitlines() if not line.startswith("diversion")
                     for name in line.rsplit(": ", 1)[0].split(", "))
    return names


def describe(names):
    form = "${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n"
    return [line.split("\t") for line in run("dpkg-query", "--show", "-f", form,
                                             *sorted(names)).splitlines()]


def component(row, linkage):
    package, version, architecture, source, source_version = row
    purl = f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"
    return {"type": "library", "bom-ref": purl, "name": package, "version": version, "purl": purl,
            "properties": [{"name": "crawlsieve:linkage", "value": linkage},
                           {"name": "debian:source", "value": f"{source} {source_version}"}]}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    shared = describe(packages_of(shared_libraries(program)))
    components = [component(row, "shared") for row in shared]
    if len(sys.argv) > 2:
        sources = {row[3] for row in shared}
        # Of these the program holds constants and types of the kernel, no code.
        sources.add("linux")
        rows = describe(packages_of(compiled_in(sys.argv[2], program.name)))
        components += [component(row, "compiled in") for row in rows if row[3] not in sources]
    version, commit = re.match(r"(\S+) \(commit (\S+)\)", run(program, "--version")).groups()
    me = {"type": "application", "bom-ref": "crawlsieve", "name": "crawlsieve", "version": version,
          "licenses": [{"license": {"id": "Apache-2.0"}}],
          "properties": [{"name": "crawlsieve:commit", "value": commit}]}
    refs = [part["bom-ref"] for part in components]
    # Named after its content, so that two builds of the same can be compared.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, "\n".join([version, commit, *refs]))
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}",
        "version": 1, "metadata": {"component": me}, "components": components,
        "dependencies": [{"ref": "crawlsieve", "dependsOn": refs}]}, indent=1))


if __name__ == "__main__":
    main()
