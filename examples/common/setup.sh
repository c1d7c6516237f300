# What the examples' run scripts share. To be sourced, with `set -euo pipefail`.
# shellcheck shell=bash

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
example=$(realpath "$(dirname "$0")")
name=$(basename "$example")
# Everything that an example downloads or builds, and the logs of its last run.
work=$root/build/examples/$name
pages=$root/build/examples/pages
readonly root example name work pages

die() {
  echo "$name: $*" >&2
  exit 1
}

# install_packages PACKAGE...: Debian's, where they are missing.
install_packages() {
  local package missing=() as_root=()
  for package in "$@"; do
    # shellcheck disable=SC2016 # ${Status} is dpkg-query's, not the shell's
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "needs root or sudo to install: ${missing[*]}"
    as_root=(sudo)
  fi
  echo "$name: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update --quiet=2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes \
      --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install: ${missing[*]}"
}

# The pages of the example site: the English installation guide of Debian, unpacked, not installed.
fetch_pages() {
  [[ ! -e $pages/index.html ]] || return 0
  local package=installation-guide-amd64 unpacked
  mkdir -p "$(dirname "$pages")"
  unpacked=$(mktemp -d "$pages.XXXXXX")
  (cd "$unpacked" && apt-get -o APT::Sandbox::User=root download --quiet=2 "$package" >&2) ||
    die "package $package can't be downloaded; try: apt-get update"
  dpkg-deb -x "$unpacked/$package"_*.deb "$unpacked/package"
  mkdir "$unpacked/pages"
  cp "$unpacked/package/usr/share/doc/$package"/en/*.html "$unpacked/pages/"
  # A folder that is there is complete.
  mv -T "$unpacked/pages" "$pages" 2>/dev/null || [[ -e $pages/index.html ]] ||
    die "can't write $pages"
  rm -rf "$unpacked"
}

# What every example needs: packages, the broker's jars, the program and the pages. The program is
# that in CRAWLSIEVE_PROGRAM if it is set; else it is built.
prepare() {
  "$root/script/install" >&2
  "$root/script/broker" fetch >&2
  if [[ -z ${CRAWLSIEVE_PROGRAM:-} ]]; then
    cmake -S "$root" --preset release >/dev/null
    cmake --build "$root/build/release" --target crawlsieve_program >&2
    CRAWLSIEVE_PROGRAM=$root/build/release/crawlsieve
  fi
  fetch_pages
  mkdir -p "$work"
}

# compare COMMAND...: lets the crawler crawl without crawlsieve and beside it.
compare() {
  rm -rf "$work/run"
  # Debian's Python: its package for Kafka is not there for others.
  exec /usr/bin/python3 -B "$root/examples/common/compare.py" --program "$CRAWLSIEVE_PROGRAM" \
    --config "$example/crawlsieve.yaml" --pages "$pages" --keep "$work/run" -- "$@"
}
