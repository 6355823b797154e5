"""Errors of search options. Each has the name of the refused option and the problem as separate attributes."""

from __future__ import annotations


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
