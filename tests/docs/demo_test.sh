#!/usr/bin/env bash
# The demo runs, and draws the very picture that the README shows.
#
# usage: demo_test.sh ROOT PROGRAM
set -euo pipefail
root=$1
program=$(realpath "$2")
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
ln -s "$root/data" "$directory/data"
cd "$directory"
bash "$root/tools/demo.sh" "$program"
cmp demo-output/forest.svg "$root/docs/images/forest.svg" || {
  echo "docs/images/forest.svg is not what the demo draws; run ./dev demo and copy demo-output/forest.svg"
  exit 1
}
