# bash completion for plainfs

_plainfs_options='allow_other allow_root attr_timeout= auto_unmount cache_size= debug default_permissions endpoint= entry_timeout=
  follow_outside foreground fsname= gid= hdf5_inside hdf5_plugins header help index= index_ahead log_file= log_level= max_read= missing= negative_timeout= no_sign on_change= region= single_thread subdir=
  subtype= threads= timeout= uid= umask= version views='

# The values of -o name=value that are a choice.
_plainfs_values() {
  case $1 in
    log_level) echo error warning info debug ;;
    missing) echo fill error ;;
    on_change) echo error reopen ;;
    views) echo csv npy bin mtx tsv json gz bgzf rds h5ad h5 ;;
  esac
}

# The last option of a comma-separated list, or its value. Readline replaces what follows the last "=".
_plainfs_option() {
  local list=$1 last=${1##*,}
  if [[ $list =~ (^|,)views=([a-z0-9,+:]*[,+:])?([a-z0-9]*)$ ]]; then
    mapfile -t COMPREPLY < <(compgen -P "${BASH_REMATCH[2]}" -W "$(_plainfs_values views)" -- "${BASH_REMATCH[3]}")
    return
  fi
  if [[ $last == log_file=* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "${last#*=}")
    return
  fi
  if [[ $last == index=* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W none -- "${last#*=}"; compgen -d -- "${last#*=}")
    return
  fi
  if [[ $last == *=* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_plainfs_values "${last%%=*}")" -- "${last#*=}")
    return
  fi
  local before=${list%"$last"}
  mapfile -t COMPREPLY < <(compgen -P "${before##*=}" -W "$_plainfs_options" -- "$last")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

# Paths inside a store that are written as one word with it, STORE/PATH.
_plainfs_in_one_word() {
  local folder=${1%/*} name
  [[ $1 == */* && ! -d $folder ]] || return
  while IFS= read -r name; do
    [[ $folder/$name == "$1"* ]] && COMPREPLY+=("$folder/$name")
  done < <(plainfs ls -p "$folder" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace
}

# Paths inside the store $1 that begin with $2, as `plainfs ls` lists them; a folder ends in a slash.
_plainfs_inside() {
  local folder='' name
  [[ $2 == */* ]] && folder=${2%/*}/
  while IFS= read -r name; do
    [[ $folder$name == "$2"* ]] && COMPREPLY+=("$folder$name")
  done < <(plainfs ls -p "$1" "${folder:-/}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace
}

# The words of the line so far, unquoted, into words[]; the last one is what is being typed.
_plainfs_words() {
  local at=0 char quote='' word='' open=0
  words=()
  for ((; at < ${#1}; at++)); do
    char=${1:at:1}
    if [[ -n $quote ]]; then
      if [[ $char == "$quote" ]]; then quote=''; else word+=$char; fi
    elif [[ $char == [\'\"] ]]; then
      quote=$char open=1
    elif [[ $char == \\ ]]; then
      ((++at))
      word+=${1:at:1} open=1
    elif [[ $char == [[:space:]] ]]; then
      ((open)) && words+=("$word")
      word='' open=0
    else
      word+=$char open=1
    fi
  done
  words+=("$word")
}

_plainfs() {
  local words word names=() before=
  COMPREPLY=()
  _plainfs_words "${COMP_LINE:0:COMP_POINT}"
  local cur=${words[-1]} command=${words[1]}
  for word in "${words[@]:1:${#words[@]}-2}"; do
    [[ $word == -* || $before =~ ^(-o|--range|--views|--part|--tasks|--task-size)$ ]] || names+=("$word")
    before=$word
  done

  if [[ $before == -o ]]; then
    _plainfs_option "$cur"
  elif [[ $cur == -* ]]; then
    local letters='-h -V -f -d -s -o'
    case $command in
      ls) letters='-l -R -h -a -p -t' ;;
      cat) letters='--range' ;;
      export) letters='--views --part --plan --tasks --task-size --task --finish --verify --status --tar' ;;
      info | ps) letters='--json' ;;
      check | index | reload | umount) letters='' ;;
    esac
    [[ $cur == --* ]] && letters+=" $(printf -- '--%s ' $_plainfs_options)"
    [[ $cur == --*-* ]] && letters+=" $(printf -- '--%s ' ${_plainfs_options//_/-})"
    mapfile -t COMPREPLY < <(compgen -W "$letters" -- "$cur")
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  elif [[ $command == export && " ${words[*]} " =~ ' '--(task|finish|status)[=\ ] ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ $command =~ ^(ls|cat|export)$ ]] && ((${#names[@]} > 1)); then
    _plainfs_inside "${names[1]}" "$cur"
    if [[ $command == export ]]; then
      compopt -o filenames
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur")
    fi
  elif [[ $command == ps ]]; then
    :
  elif [[ $command =~ ^(reload|umount)$ ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    ((${#words[@]} > 2)) ||
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'ls cat export info check index reload run ps umount' -- "$cur")
    [[ $command =~ ^(ls|cat|export)$ && ${#COMPREPLY[@]} -eq 0 ]] && _plainfs_in_one_word "$cur"
  fi
}

complete -F _plainfs plainfs
