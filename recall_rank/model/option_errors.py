"""Errors of search options; each has the name of the refused option and the problem as separate fields."""

from __future__ import annotations


class OptionError(Exception):
    """An option of a search was refused. The message is the name of the option, a blank and the problem."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)
        self.option = option
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.option} {self.problem}"


class OptionValueError(OptionError, ValueError):
    """The value of an option is outside of what is accepted."""


class OptionTypeError(OptionError, TypeError):
    """The value of an option has a type that is not accepted."""
