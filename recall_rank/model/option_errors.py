"""Errors of search options, which have the name of the refused option and the problem as separate attributes; and the
text of any error for people.
"""

from __future__ import annotations


def error_text(error: BaseException) -> str:
    """Return an error as text for people, an error of the system without its number: what it is about, and what is
    wrong with that. The name of its class stands for an error without text.
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if isinstance(error.filename, str) else error.strerror
    return str(error) or type(error).__name__


class OptionError(Exception):
    """A search option was refused. The message is the name of the option, a blank, and the problem."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)
        self.option = option
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.option} {self.problem}"


class OptionValueError(OptionError, ValueError):
    """A search option has a value outside of the accepted values."""


class OptionTypeError(OptionError, TypeError):
    """A search option has a value of a type that is not accepted."""
