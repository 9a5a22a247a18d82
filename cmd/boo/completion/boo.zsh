#compdef boo
# boo's completion for zsh: eval "$(boo completion zsh)"
_boo() {
    local line
    local -a found
    while IFS= read -r line; do
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done < <(boo __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then
        _describe 'boo' found
    else
        _files
    fi
}
compdef _boo boo
