#!/bin/sh
# Puts programs of this image into a folder from which they run in any other image for the same processor, with any C library,
# or none: each program, the libraries that it is linked to, and the loader that finds them there:
#   FOLDER/lib/ld.so --library-path FOLDER/lib FOLDER/NAME
# Usage: carry.sh FOLDER NAME=FILE...
set -eu
folder=$1
shift
mkdir -p "$folder/lib"
for program; do
  file=${program#*=}
  cp -L "$file" "$folder/${program%%=*}"
  linked=$(ldd "$file")
  echo "$linked" | sed -n 's|.* => \(/[^ ]*\).*|\1|p' | while read -r library; do cp -L "$library" "$folder/lib/"; done
  cp -L "$(echo "$linked" | sed -n 's|^[[:space:]]*\(/[^ ]*/ld-[^ ]*\).*|\1|p')" "$folder/lib/ld.so"
done
