# bash completion for plainfs

# Every option of -o, set on first use; those that take a value end in "=". The text of one has the names of the views.
_plainfs_options='' _plainfs_views=''
_plainfs_set_options() {
  local help
  [[ -z $_plainfs_options ]] || return
  help=$(plainfs --help 2>/dev/null)
  _plainfs_options=$(sed -nE 's/^  (-., )?-o ([a-z0-9_]+=?).*/\2/p' <<<"$help")
  _plainfs_views="all listed $(sed -n 's/^  -o views=.* or of //p' <<<"$help")"
}

_plainfs_commands='ls cat export info check index reload run serve ps umount'

# Adds the words in $2 that begin with $3, each after $1, which is on the line already.
_plainfs_choice() {
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$1" -W "$2" -- "$3")
}

# Adds the files that begin with $2, each after $1, or only folders if $3 is -d. A folder ends in a slash.
_plainfs_files() {
  local name
  is_path=1
  while IFS= read -r name; do
    [[ $3 != -d && -d $name ]] && name+=/
    [[ -n $name ]] && COMPREPLY+=("$1$name")
  done < <(
    # overrides the user's settings for patterns
    shopt -s nullglob
    shopt -u failglob
    set +f
    if [[ $3 == -d ]]; then printf '%s\n' "$2"*/; else printf '%s\n' "$2"*; fi
  )
}

# Adds the mountpoints of plainfs that begin with $1. Those below the current folder are relative unless $1 is absolute.
_plainfs_mounts() {
  local path type
  is_path=1
  while read -r _ path type _; do
    [[ $type == fuse.plainfs ]] || continue
    printf -v path %b "${path//\\/\\0}" # blanks are \040 there
    [[ $1 == /* ]] || path=${path#"$PWD/"}
    [[ $path == "$1"* ]] && COMPREPLY+=("$path")
  done 2>/dev/null </proc/self/mounts
}

# Adds the entries that `plainfs ls $3...` lists and that begin with $2, each after $1. A folder ends in a slash.
_plainfs_listed() {
  local folder='' name
  [[ $2 == */* ]] && folder=${2%/*}/
  is_path=1
  while IFS= read -r name; do
    [[ $folder$name == "$2"* ]] && COMPREPLY+=("$1$folder$name")
  done < <(plainfs ls -p -- "${@:3}" 2>/dev/null)
}

# Adds the paths inside the store $3 that begin with $2, each after $1.
_plainfs_inside() {
  local folder=/
  [[ $2 == */* ]] && folder=${2%/*}/
  _plainfs_listed "$1" "$2" "$3" "$folder"
}

# Adds the values of option $1 that begin with $3, each after $2, which is on the line already.
_plainfs_value() {
  local joined='' path found=()
  case ${1//-/_} in
    gid) mapfile -t COMPREPLY < <(compgen -P "$2" -g -- "$3") ;;
    index)
      _plainfs_choice "$2" none "$3"
      _plainfs_files "$2" "$3" -d
      ;;
    cells|genome|log_file) _plainfs_files "$2" "$3" ;;
    remote_cache) _plainfs_files "$2" "$3" -d ;;
    log_level) _plainfs_choice "$2" 'error warning info debug' "$3" ;;
    join) _plainfs_choice "$2" 'inner outer' "$3" ;;
    missing) _plainfs_choice "$2" 'fill error' "$3" ;;
    orientation) _plainfs_choice "$2" 'auto genes cells' "$3" ;;
    ragged) _plainfs_choice "$2" 'json count' "$3" ;;
    on_change) _plainfs_choice "$2" 'error reopen' "$3" ;;
    sandbox) _plainfs_choice "$2" 'auto required none' "$3" ;;
    subdir)
      [[ -n $store ]] && _plainfs_inside "$2" "$3" "$store"
      for path in "${COMPREPLY[@]}"; do [[ $path == */ ]] && found+=("$path"); done
      COMPREPLY=("${found[@]}")
      ;;
    uid) mapfile -t COMPREPLY < <(compgen -P "$2" -u -- "$3") ;;
    views)
      [[ $3 == *[,+:]* ]] && joined=${3%"${3##*[,+:]}"}
      _plainfs_choice "$2$joined" "$_plainfs_views" "${3##*[,+:]}"
      ;;
  esac
}

# Completes the last option of a comma-separated list, or its value. Views may also be separated by commas.
_plainfs_option() {
  local last=${1##*,}
  local before=${1%"$last"}
  [[ $1 =~ ^((.*,)?views=)([a-z0-9,+:]*,[a-z0-9+:]*)$ ]] && _plainfs_value views "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}"
  if [[ $last == *=* ]]; then
    _plainfs_value "${last%%=*}" "$before${last%%=*}=" "${last#*=}"
  else
    _plainfs_choice "$before" "$_plainfs_options" "$last"
  fi
}

# Sets words[] to the words of the line $1 as the shell will read them, without running commands in them. The last word
# is being typed: readline replaces the part after kept. quote is its open quote, if any. It began with tilde, which
# expands to home.
_plainfs_words() {
  local at=0 char word='' open=0 outside=''
  words=() quote='' kept='' tilde='' home=''
  for ((; at < ${#1}; at++)); do
    char=${1:at:1}
    if [[ $char == "$quote" ]]; then
      quote='' kept=$outside
    elif [[ $quote == \' ]]; then
      word+=$char
    elif [[ $char == \\ && (-z $quote || ${1:at+1:1} == [\"\\\$\`]) ]]; then
      ((++at))
      word+=${1:at:1} open=1
    elif [[ $char == \$ && ${1:at} =~ ^\$(([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}) ]]; then
      char=${BASH_REMATCH[2]}${BASH_REMATCH[3]}
      word+=${_plainfs_variables[$char]} open=1
      ((at += ${#BASH_REMATCH} - 1))
    elif [[ -n $quote ]]; then
      word+=$char
    elif [[ $char == [\'\"] ]]; then
      quote=$char open=1 outside=$kept kept=$word
    elif [[ $char == [[:space:]] ]]; then
      ((open)) && words+=("$word")
      word='' open=0 kept='' tilde='' home=''
    elif [[ $open == 0 && ${1:at} =~ ^(~[A-Za-z0-9_.+-]*)(/|[[:space:]]|$) ]]; then
      tilde=${BASH_REMATCH[1]} open=1
      eval "home=$tilde"
      word=$home
      ((at += ${#tilde} - 1))
    else
      [[ $char == @ && $COMP_WORDBREAKS == *@* ]] && kept=$word
      word+=$char open=1
      [[ $char != @ && $COMP_WORDBREAKS == *"$char"* ]] && kept=$word
    fi
  done
  words+=("$word")
}

# Returns whether the word after option $1 is its value. Options passed to FUSE unchanged have their value after a "=".
_plainfs_wants_word() {
  local name=${1#--}
  [[ $1 =~ ^(-[hVfd]*o|--range|--gene|--of|--assay|--layer|--without|--level|--zarr-format|--part|--tasks|--task-size)$ ]] && return
  [[ $1 == --* && $name != fsname && $name != subtype && $_plainfs_options =~ (^|[[:space:]])"${name//-/_}="([[:space:]]|$) ]]
}

# Sets names[] to the words that are neither options nor their values, and asked to the option that awaits its value.
_plainfs_names() {
  local word
  names=() asked=''
  for word; do
    if [[ -n $asked ]]; then
      asked=''
    elif [[ $word == -?* ]]; then
      _plainfs_wants_word "$word" && asked=$word
    elif [[ -n $word ]]; then
      names+=("$word")
    fi
  done
}

# Adds the targets of an export: folders, and the name with each possible ending.
_plainfs_targets() {
  _plainfs_files '' "$cur" -d
  local ending name=${cur%.*}
  [[ -n $name && $cur == *.* && $cur != */ && $name != */ ]] || return
  [[ $name == *.vcf || $name == *.tsv || $name == *.ome ]] && name=${name%.*}
  for ending in $(plainfs export --help 2>/dev/null | sed -n 's/^Extensions of FILE: //p'); do
    [[ $name$ending == "$cur"* ]] && COMPREPLY+=("$name$ending")
  done
}

# Fills COMPREPLY with whole words that begin with $cur.
_plainfs_complete() {
  if [[ $asked == -*o && $asked != --* ]]; then
    _plainfs_option "$cur"
  elif [[ $asked == --of ]]; then
    _plainfs_inside '' "$cur" "$store"
  elif [[ -n $asked ]]; then
    _plainfs_value "${asked#--}" '' "$cur"
  elif [[ $command == run && " ${words[*]:2:${#words[@]}-3} " == *' -- '* ]]; then
    if [[ ${words[-2]} == -- && $cur != */* ]]; then
      mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
      _plainfs_files '' "$cur"
    fi
  elif [[ $cur == --*=* ]]; then
    local name=${cur%%=*}
    _plainfs_value "${name#--}" "$name=" "${cur#*=}"
  elif [[ $cur == -* ]]; then
    local letters='-h -V -f -d -o'
    case $command in
      ls) letters='-l -R -h -a -p -t' ;;
      cat) letters='--range --gene' ;;
      export) letters='--of --assay --layer --without --level --zarr-format --force --dry-run --quiet --views --part --plan --tasks --task-size --task --finish --verify --status --tar' ;;
      info) letters='--long --json' ;;
      ps) letters='-l --json --prometheus' ;;
      serve) letters='--listen --host --token --base --cors --open' ;;
      index) letters='--beside --part' ;;
      check | reload | umount) letters='' ;;
    esac
    # shellcheck disable=SC2086 # a list of names
    [[ $cur == --* ]] && letters+=" $(printf -- '--%s ' $_plainfs_options)"
    # shellcheck disable=SC2086
    [[ $cur == --*-* ]] && letters+=" $(printf -- '--%s ' ${_plainfs_options//_/-})"
    _plainfs_choice '' "$letters" "$cur"
  elif [[ $command == export && " ${words[*]} " =~ ' '--(task|finish|status)[=\ ] ]]; then
    _plainfs_files '' "$cur"
  elif [[ $command =~ ^(ls|cat|export|info|check)$ && ${#names[@]} -gt 0 ]]; then
    _plainfs_inside '' "$cur" "$store"
    [[ $command == export ]] && _plainfs_targets
  elif [[ $command =~ ^(reload|umount)$ ]]; then
    _plainfs_mounts "$cur"
    ((${#COMPREPLY[@]})) || _plainfs_files '' "$cur" -d
  elif [[ $command != ps ]]; then
    _plainfs_files '' "$cur"
    ((${#words[@]} > 2)) || _plainfs_choice '' "$_plainfs_commands" "$cur"
    # STORE/PATH in one word, if no file has that name
    [[ $command =~ ^(ls|cat|export|info|check)$ && ${#COMPREPLY[@]} -eq 0 && $cur == */* && $cur != *://* ]] &&
      _plainfs_listed '' "$cur" "${cur%/*}"
  fi
}

# Quotes COMPREPLY. Readline does not quote "$" and "`" in words that are not files, such as paths inside a store.
_plainfs_quote() {
  compopt -o filenames -o noquote
  ((${#COMPREPLY[@]})) || return
  mapfile -t COMPREPLY < <(
    case $quote in
      \') printf '%s\n' "${COMPREPLY[@]}" | sed "s/'/'\\\\''/g; s/^'/''/" ;; # readline drops one of two adjacent quotes
      \") printf '%s\n' "${COMPREPLY[@]}" | sed 's/[\\"$`]/\\&/g' ;;
      *) printf '%q\n' "${COMPREPLY[@]}" ;;
    esac
  )
}

_plainfs_line() {
  local words names asked quote kept tilde home is_path='' command='' behind store cur
  COMPREPLY=()
  _plainfs_set_options
  _plainfs_words "_${COMP_LINE:COMP_POINT}"
  _plainfs_names "${words[@]:1}"
  behind=("${names[@]}")
  _plainfs_words "${COMP_LINE:0:COMP_POINT}"
  cur=${words[-1]}
  [[ ${#words[@]} -gt 2 && " $_plainfs_commands " == *" ${words[1]} "* ]] && command=${words[1]}
  _plainfs_names "${words[@]:1:${#words[@]}-2}"
  [[ -n $command ]] && names=("${names[@]:1}")
  store=${names[0]:-${behind[0]}}
  _plainfs_complete
  [[ -n $kept ]] && tilde='' home=$kept
  COMPREPLY=("${COMPREPLY[@]#"$home"}")
  [[ -n $is_path ]] && _plainfs_quote
  COMPREPLY=("${COMPREPLY[@]/#/$tilde}")
  [[ ${COMPREPLY[0]} == *[/=] ]] && compopt -o nospace
}

_plainfs() {
  # Read the variables that the line uses before local variables of the functions hide them.
  local -A _plainfs_variables=()
  local _plainfs_rest=$COMP_LINE
  while [[ $_plainfs_rest =~ \$\{?([A-Za-z_][A-Za-z0-9_]*)(.*) ]]; do
    _plainfs_variables[${BASH_REMATCH[1]}]=${!BASH_REMATCH[1]}
    _plainfs_rest=${BASH_REMATCH[2]}
  done
  _plainfs_line
}

complete -F _plainfs plainfs
