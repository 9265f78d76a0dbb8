# fish completion for plainfs

# Prints every option of -o; those that take a value end in "=".
function __plainfs_options
    plainfs --help 2>/dev/null | string replace --regex --filter '^  (?:-., )?-o ([a-z0-9_]+=?).*' '$1'
end

# Prints the values of the option before "=" in the word that is being typed, each after the rest of that word.
function __plainfs_option_words
    set -l word (commandline --current-token)
    set -l before (string replace --regex '[^,]*$' '' -- $word)
    set -l last (string replace --regex '.*,' '' -- $word)
    set -l values
    switch $last
        case 'log_level=*'
            set values error warning info debug
        case 'join=*'
            set values inner outer
        case 'missing=*'
            set values fill error
        case 'orientation=*'
            set values auto genes cells
        case 'ragged=*'
            set values json count
        case 'on_change=*'
            set values error reopen
        case 'sandbox=*'
            set values auto required none
    end
    if set -q values[1]
        printf '%s\n' $before(string replace --regex '=.*' '=' -- $last)$values
    else
        printf '%s\n' $before(__plainfs_options)
    end
end

# Prints the mountpoints of plainfs.
function __plainfs_mounts
    string replace --regex --filter '^\S+ (\S+) fuse\.plainfs .*' '$1' </proc/self/mounts | string replace --all '\\040' ' '
end

# Returns whether the first word is one of the arguments.
function __plainfs_command
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    contains -- "$words[2]" $argv
end

# Prints the paths that begin as the word that is being typed, inside the store that the line names.
function __plainfs_inside
    set -l words (string match --invert -- '-*' (commandline --tokenize --cut-at-cursor --current-process))
    set -q words[3]; or return
    set -l folder (string replace --regex '[^/]*$' '' -- (commandline --current-token))
    plainfs ls -p -- $words[3] "/$folder" 2>/dev/null | string replace --regex '^' -- $folder
end

set -l commands ls cat export info check index reload run serve ps umount
complete --command plainfs --condition "not __plainfs_command $commands" --arguments "$commands"
complete --command plainfs --short-option o --exclusive --arguments '(__plainfs_option_words)'
complete --command plainfs --short-option h --long-option help
complete --command plainfs --short-option V --long-option version
complete --command plainfs --condition '__plainfs_command reload umount' --arguments '(__plainfs_mounts)'
complete --command plainfs --condition '__plainfs_command ls cat export info check' --arguments '(__plainfs_inside)'
complete --command plainfs --condition '__plainfs_command cat' --long-option range --exclusive
complete --command plainfs --condition '__plainfs_command cat' --long-option gene --exclusive
for option in of assay layer without level zarr-format views part plan tasks task-size task
    complete --command plainfs --condition '__plainfs_command export' --long-option $option --require-parameter
end
for option in force dry-run quiet finish verify status tar
    complete --command plainfs --condition '__plainfs_command export' --long-option $option
end
complete --command plainfs --condition '__plainfs_command info' --long-option long
complete --command plainfs --condition '__plainfs_command info ps' --long-option json
complete --command plainfs --condition '__plainfs_command ps' --long-option prometheus
for option in listen host token base cors
    complete --command plainfs --condition '__plainfs_command serve' --long-option $option --require-parameter
end
complete --command plainfs --condition '__plainfs_command serve' --long-option open
complete --command plainfs --condition '__plainfs_command index' --long-option beside
complete --command plainfs --condition '__plainfs_command index' --long-option part --exclusive
