"""Tools as plain functions, made of the methods that answer them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def as_function(method: Callable[Concatenate[T, P], str], tools: Callable[[], T]) -> Callable[P, str]:
    """Return a method as a function over the object that `tools` returns at each call.

    The function has the signature, the types and the docstring of the method: programs that call models make the
    schema of a tool of them. Its module is that of `tools`.
    """

    def function(*args: P.args, **given: P.kwargs) -> str:
        return method(tools(), *args, **given)

    own, *others = inspect.signature(method).parameters.values()
    function.__name__ = function.__qualname__ = method.__name__
    function.__module__, function.__doc__ = tools.__module__, method.__doc__
    function.__annotations__ = {name: hint for name, hint in method.__annotations__.items() if name != own.name}
    vars(function)["__signature__"] = inspect.signature(method).replace(parameters=others)
    return function
