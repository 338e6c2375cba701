#!/usr/bin/env bash
# What can be said of ./dev without building anything: it parses, explains itself, and refuses what
# it does not know.
#
# usage: dev_test.sh ROOT
set -uo pipefail
cd "$1" || exit 1
failures=0

expect() {  # expect WHAT CONDITION...
  local what=$1
  shift
  if "$@"; then return; fi
  echo "failed: $what"
  failures=$((failures + 1))
}

for script in dev .ci/run tools/*.sh; do expect "$script parses" bash -n "$script"; done

usage=$(./dev)
expect "./dev alone succeeds" [ $? -eq 0 ]
for command in setup build test demo bench lint format fuzz clean; do
  expect "./dev explains $command" grep -q "^  $command" <<<"$usage"
done
expect "./dev help is the same" [ "$(./dev help)" = "$usage" ]
expect "it works from another directory" [ "$(cd / && "$OLDPWD/dev")" = "$usage" ]

output=$(./dev nonsense 2>&1 >/dev/null)
expect "./dev nonsense exits with 2" [ $? -eq 2 ]
expect "./dev nonsense says what is wrong" grep -q 'unknown command "nonsense"' <<<"$output"

expect "./dev test doors lists none yet" grep -q '^doors: nothing yet' <(./dev test doors)

# run_each goes on after a failure, and names all of them.
output=$(
  say() { echo "$1"; }
  source <(sed -n '/^run_each() {/,/^}/p' dev)
  run_each jobs <<<$'one true\ntwo false\nthree exit 3\nfour echo ran'
)
expect "run_each fails when a job does" [ $? -eq 1 ]
expect "run_each names what failed" grep -qx 'jobs: 2 of 4 failed: two three' <<<"$output"
expect "run_each runs what follows a failure" grep -qx ran <<<"$output"

expect "./dev bench lists the benchmarks" grep -q '^  forest ' <(./dev bench)

[ "$failures" -eq 0 ] && echo "dev: ok"
exit "$((failures > 0))"
