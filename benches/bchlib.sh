#!/bin/sh
# Builds the Linux kernel's BCH codec, as PyPI's bchlib ships its C source, into a shared library in
# the folder given, and prints the library's path. The source is fetched once and never committed.
set -eu

version=2.1.3
folder=${1:?usage: bchlib.sh FOLDER}
library=$folder/libbch.so

mkdir -p "$folder"
if [ ! -e "$library" ]; then
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
        --dest "$folder" "bchlib==$version" >&2
    tar -x -z -f "$folder/bchlib-$version.tar.gz" -C "$folder"
    ${CC:-gcc} -std=gnu99 -O3 -march=native -shared -fPIC -o "$library.part" \
        "$folder/bchlib-$version/src/bch.c"
    mv "$library.part" "$library"
fi
echo "$library"
