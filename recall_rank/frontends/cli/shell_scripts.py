"""The completion scripts of bash, zsh and fish, and what they call: answers in lines that all three read alike.

The scripts of click differ from one version of click to the next, and a script stays in a user's file: these are our
own. They ask the program with the variables of click, and get a line for each completion: its type ("plain", or "file"
or "dir", for which the shell completes paths itself), its value and its explanation, with tabs between them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

from recall_rank.frontends.display_text import one_line

if TYPE_CHECKING:
    import click

SHELLS: Final = ("bash", "zsh", "fish")
_QUOTES: Final = ("'", '"')
_BREAKS: Final = "=:"  # that bash may divide words at, and that values have

# Readline replaces what stands behind the last of COMP_WORDBREAKS: the program leaves out of values what is before it.
_BASH: Final = r"""%(complete_func)s() {
    local answers type value told kind= word=${COMP_WORDS[COMP_CWORD]} plain=()
    if [[ -n $COMP_LINE ]]; then
        answers=$(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_CWORD= COMP_BREAKS="$COMP_WORDBREAKS" \
            %(complete_var)s=bash_complete "$1" 2>/dev/null)
    else
        answers=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \
            %(complete_var)s=bash_complete "$1" 2>/dev/null)
    fi
    while IFS=$'\t' read -r type value told; do
        case $type in
            plain) plain+=("$value") ;;
            dir) kind=-d ;;
            file) kind=-f ;;
        esac
    done <<< "$answers"
    COMPREPLY=()
    if [[ -z $kind ]]; then
        for value in "${plain[@]}"; do
            [[ $word == [\"\']* ]] || printf -v value %%q "$value"
            COMPREPLY+=("$value")
        done
    elif (( ${#plain[@]} )); then
        compopt -o filenames
        COMPREPLY=("${plain[@]}")
        while IFS= read -r value; do
            COMPREPLY+=("$value")
        done < <(compgen "$kind" -- "$word")
    elif [[ $kind == -d ]]; then
        compopt -o dirnames
    else
        compopt -o default
    fi
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_ZSH: Final = r"""#compdef %(prog_name)s

%(complete_func)s() {
    local -a answers plain told
    local line type value explanation
    (( $+commands[%(prog_name)s] )) || return 1
    answers=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete %(prog_name)s 2>/dev/null)}")
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    for line in "${answers[@]}"; do
        type=${line%%%%$'\t'*} line=${line#*$'\t'}
        value=${line%%%%$'\t'*} explanation=${line#*$'\t'}
        case $type in
            plain)
                if [[ -n $explanation ]]; then
                    told+=("${value//:/\\:}:$explanation")
                else
                    plain+=("$value")
                fi ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#told )) && _describe -V unsorted told
    (( $#plain )) && compadd -V unsorted -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    compdef %(complete_func)s %(prog_name)s  # for the next time: this file is read once
    %(complete_func)s "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
    compdef %(complete_func)s %(prog_name)s
fi
"""
_FISH: Final = r"""function %(complete_func)s
    set -l typed (commandline -ct | string collect)
    set -l words (commandline -cp | string collect)
    set -l answers (env %(complete_var)s=fish_complete "COMP_WORDS=$words" "COMP_CWORD=$typed" \
        %(prog_name)s 2>/dev/null)
    set -l option (string match -r -- '^--[^=]*=' $typed)
    set -l path (string replace -r -- '^--[^=]*=' '' "$typed")
    for answer in $answers
        set -l fields (string split --max 2 \t -- $answer)
        switch $fields[1]
            case plain
                printf '%%s%%s\t%%s\n' "$option" $fields[2] "$fields[3]"
            case dir
                for each in (complete -C "no-such-command-of-anybody $path" | string match -r -- '^[^\t]*/(?=\t|$)')
                    printf '%%s%%s\n' "$option" $each
                end
            case file
                for each in (complete -C "no-such-command-of-anybody $path" | string replace -r -- '\t.*' '')
                    printf '%%s%%s\n' "$option" $each
                end
        end
    end
end

complete --keep-order --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _AnswersInLines(ShellComplete):
    """Completion whose answers are lines of type, value and explanation, with tabs between them."""

    def format_completion(self, item: CompletionItem) -> str:
        """Return one answer. The shell completes paths itself: they need no value."""
        value = str(item.value) if item.type == "plain" else ""
        return "\t".join((item.type, value, one_line(item.help or "").replace("\t", " ")))


class BashCompletion(_AnswersInLines, BashComplete):
    """Completion in bash. Its script passes the line up to the cursor: bash divides words at "=" and ":"."""

    source_template = _BASH
    _kept = ""  # of the word that is completed, what readline does not replace

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is completed, and that one."""
        if os.environ.get("COMP_CWORD"):
            return super().get_completion_args()
        line = os.environ["COMP_WORDS"]
        *args, word = split_arg_string(line + "x")[1:] or [""]
        begun = word[:-1]
        breaks = [mark for mark in _BREAKS if mark in os.environ.get("COMP_BREAKS", "")]
        if not line[len(line) - len(begun) - 1 :].startswith(_QUOTES):
            value = begun.partition("=")[2] if begun.startswith("--") and "=" in begun else begun
            self._kept = value[: max((value.rfind(mark) + 1 for mark in breaks), default=0)]
        return args, begun

    def format_completion(self, item: CompletionItem) -> str:
        """Return one answer, without what readline does not replace."""
        item.value = str(item.value).removeprefix(self._kept)
        return super().format_completion(item)


class ZshCompletion(_AnswersInLines, ZshComplete):
    """Completion in zsh."""

    source_template = _ZSH


class FishCompletion(_AnswersInLines, FishComplete):
    """Completion in fish."""

    source_template = _FISH


_CLASSES: Final = {"bash": BashCompletion, "zsh": ZshCompletion, "fish": FishCompletion}


def register_shells() -> None:
    """Let click complete for each shell in the way that its script here reads."""
    for name, shell in _CLASSES.items():
        add_completion_class(shell, name)


def completion_script(shell: str, group: click.Command, program: str, variable: str) -> str:
    """Return the script of a shell, which completes the command line of `program` and asks it with `variable`."""
    complete: Any = _CLASSES[shell](group, {}, program, variable)
    return ShellComplete.source(complete)  # BashComplete.source() would start a bash to read its version
