# bash completion for plainfs

_plainfs_options='allow_other allow_root attr_timeout= auto_unmount cache_size= debug default_permissions entry_timeout=
  follow_outside foreground fsname= gid= hdf5_plugins help log_file= log_level= max_read= missing= negative_timeout= single_thread subdir=
  subtype= threads= timeout= uid= umask= version views='

# The values of -o name=value that are a choice.
_plainfs_values() {
  case $1 in
    log_level) echo error warning info debug ;;
    missing) echo fill error ;;
    views) echo csv npy bin mtx tsv json ;;
  esac
}

# The last option of a comma-separated list, or its value. Readline replaces what follows the last "=".
_plainfs_option() {
  local list=$1 last=${1##*,}
  if [[ $last == *=* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_plainfs_values "${last%%=*}")" -- "${last#*=}")
    return
  fi
  local before=${list%"$last"}
  mapfile -t COMPREPLY < <(compgen -P "${before##*=}" -W "$_plainfs_options" -- "$last")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

# Paths inside the store $1 that begin with $2, as `plainfs ls` lists them.
_plainfs_inside() {
  local folder='' name
  [[ $2 == */* ]] && folder=${2%/*}/
  while IFS= read -r name; do
    [[ $folder$name == "$2"* ]] && COMPREPLY+=("$folder$name")
  done < <(plainfs ls "$1" "${folder:-/}" 2>/dev/null)
}

_plainfs() {
  local line=${COMP_LINE:0:COMP_POINT} words word names=() before=
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local cur=${words[-1]} command=${words[1]}
  for word in "${words[@]:1:${#words[@]}-2}"; do
    [[ $word == -* || $before =~ ^(-o|--range|--views|--part)$ ]] || names+=("$word")
    before=$word
  done

  if [[ $before == -o ]]; then
    _plainfs_option "$cur"
  elif [[ $cur == -* ]]; then
    local letters='-h -V -f -d -s -o'
    case $command in
      ls) letters='-l -R' ;;
      cat) letters='--range' ;;
      export) letters='--views --part' ;;
      info | check) letters='' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$letters" -- "$cur")
  elif [[ $command =~ ^(ls|cat)$ ]] && ((${#names[@]} > 1)); then
    _plainfs_inside "${names[1]}" "$cur"
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    ((${#words[@]} > 2)) ||
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'ls cat export info check' -- "$cur")
  fi
}

complete -F _plainfs plainfs
