#!/bin/sh
# Installs the Debian packages that the build, the sweep and the tests use and that are missing.
# Called by the Makefile; says nothing and changes nothing where all are there. Arguments are
# further packages, written as those below.
set -eu

# package:what shows that it is there
needed="
verilator:/usr/bin/verilator
g++:/usr/bin/g++
zlib1g-dev:/usr/include/zlib.h
yosys:/usr/bin/yosys
opensta:/usr/bin/sta
qflow-tech-osu018:/usr/share/qflow/tech/osu018/osu018_stdcells.lib
iverilog:/usr/bin/iverilog
z3:/usr/bin/z3
chromium:/usr/bin/chromium
"

if ! command -v cargo >/dev/null 2>&1; then
  echo "setup: cargo is missing: install Rust 1.89 or later" >&2
  exit 4
fi

missing=""
for entry in $needed "$@"; do
  [ -e "${entry#*:}" ] || missing="$missing ${entry%%:*}"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: no apt-get here; install these (Debian names):$missing" >&2
  exit 4
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "setup: root is needed once: sudo sh -c 'apt-get update && $install'" >&2
  exit 4
fi
echo "setup: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
$install -qq >/dev/null
