# boo's completion for fish: boo completion fish | source
function __boo_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (boo __complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c boo -f -a '(__boo_complete)'
