# shellcheck shell=bash
# For .ci/run and scripts/nightly: steps that all run, also after one that failed. status is 1 if one has.
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

# Prints the minutes and the outcome of each step.
print_steps() {
  printf '%s\n' "${summary[@]}"
}
