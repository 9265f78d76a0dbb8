# shellcheck shell=bash
# Steps of .ci/run and scripts/nightly. All run, even after one has failed. status is 1 if any failed.
# shellcheck disable=SC2034 # its callers read status
status=0 summary=()

step() {  # NAME COMMAND...
  local name=$1 began=$SECONDS outcome=ok
  shift
  echo "::: $name: $*"
  # shellcheck disable=SC2034
  "$@" </dev/null || { outcome=FAILED status=1; }
  summary+=("$(printf '%-9s %-7s %3d:%02d' "$name" "$outcome" $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)))")
}

# Prints the minutes and the result of each step.
print_steps() {
  printf '%s\n' "${summary[@]}"
}
