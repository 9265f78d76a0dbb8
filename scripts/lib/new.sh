# shellcheck shell=sh disable=SC2194 # the word of check_name's second case is constant, its patterns are not
# Functions of scripts/new-schema and scripts/new-view. Sourced in the root. The new state of each file is written to
# $work and copied to the tree when it is complete, so that a list that is not found leaves the tree unchanged.
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

refuse() {
  echo "${0##*/}: $*" >&2
  exit 2
}

# Fails unless NAME is an identifier of C++, not a keyword, and short enough for the lines that contain it.
check_name() {  # NAME
  case $1 in
    *[!a-z0-9_]* | [!a-z]* | *__* | *_ | "")
      refuse "'$1': a name is small letters, digits and single underscores, and begins with a letter" ;;
  esac
  [ ${#1} -le 24 ] || refuse "'$1' is longer than 24 letters"
  case " alignas alignof and asm auto bool break case catch char class compl concept const constexpr continue decltype
    default delete do double else enum explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not nullptr operator or plainfs private protected public register requires return short
    signed sizeof static std struct switch template this throw true try typedef typeid typename union unsigned using
    virtual void volatile while xor " in
    *[[:space:]]"$1"[[:space:]]*) refuse "'$1' is a word of C++ or a namespace that is there" ;;
  esac
}

# Creates the file PATH from standard input.
make() {  # PATH
  [ ! -e "$1" ] || refuse "$1 is there already"
  mkdir -p "$work/$(dirname "$1")"
  cat >"$work/$1"
}

# Edits PATH with sed. Fails if nothing changes.
edit() {  # PATH ARGUMENT …
  path=$1
  shift
  mkdir -p "$work/$(dirname "$path")"
  [ -e "$work/$path" ] || cp "$path" "$work/$path"
  sed "$@" "$work/$path" >"$work/edited"
  if cmp -s "$work/$path" "$work/edited"; then
    refuse "$path: the list that the name belongs to is not where it was; nothing was changed"
  fi
  mv "$work/edited" "$work/$path"
}

# Prints the number of the last line of PATH that begins with START between the lines FROM and TO. A new entry of a
# table goes after it.
last_line() {  # PATH FROM TO START
  sed -n "/$2/,/$3/{/^$4/=;}" "$1" | tail -n 1
}

# Adds #include "HEADER" to the block of includes in PATH that begin with START, in their order. The first line of PATH
# includes its own header and is no part of the block.
include() {  # PATH START HEADER
  first=$(sed -n "1d; \\|^#include \"$2|=" "$1" | head -n 1)
  { sed -n "1d; \\|^#include \"$2|p" "$1"; echo "#include \"$3\""; } | sort >"$work/block"
  edit "$1" -e "$((first - 1))r $work/block" -e 1b -e "\\|^#include \"$2|d"
  rm "$work/block"
}

# Copies all new files to the tree and prints their names.
put_in_place() {
  (cd "$work" && find . -type f | sed 's|^\./||' | sort) >"$work.list"
  while IFS= read -r path; do
    if [ -e "$path" ]; then
      echo "changed  $path"
    else
      echo "new      $path"
    fi
    mkdir -p "$(dirname "$path")"
    cat "$work/$path" >"$path"
  done <"$work.list"
  rm "$work.list"
}
