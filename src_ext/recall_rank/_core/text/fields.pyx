"""Which strings of a part can be found, and what each of them is."""

from recall_rank._core.text.fields cimport COMMAND, CWD, ERROR, INPUT, OUTPUT, PROMPT, TEXT, TOOL_TITLE

cdef enum:
    DEEP = 64  # levels that the C stack is asked to hold

cdef object ENDED = object()
cdef str ENDLESS = "an input must be a JSON value, not one that holds itself"


cdef int collect(value, list found, list above) except -1:
    if isinstance(value, str):
        if value:
            found.append(value)
    elif isinstance(value, (dict, list, tuple)):
        if len(above) == DEEP:
            return collect_deeper(value, found, above)
        for each in above:
            if each is value:
                raise ValueError(ENDLESS)
        above.append(value)
        for each in value.values() if isinstance(value, dict) else value:
            collect(each, found, above)
        above.pop()
    return 0


cdef int collect_deeper(value, list found, list above) except -1:
    """The same without the C stack: what is open ends where its mark is met."""
    cdef set opened = {id(each) for each in above}
    cdef list waiting = [value], inner = []
    while waiting:
        value = waiting.pop()
        if value is ENDED:
            opened.discard(id(inner.pop()))
        elif isinstance(value, (dict, list, tuple)):
            if id(value) in opened:
                raise ValueError(ENDLESS)
            opened.add(id(value))
            inner.append(value)
            waiting.append(ENDED)
            waiting.extend(reversed(value.values() if isinstance(value, dict) else value))
        elif isinstance(value, str) and value:
            found.append(value)
    return 0


cdef list strings_in(value):
    """Every non-empty string inside a JSON value, in order."""
    cdef list found = []
    collect(value, found, [])
    return found


cdef list fields_of(part):
    cdef list found = []
    value = part.text
    if value:
        found.append((TEXT, value))
    value = part.prompt
    if value:
        found.append((PROMPT, value))
    given = part.input
    if given is not None:
        if isinstance(given, dict):
            value = given.get("command")
            if isinstance(value, str) and value.strip():
                found.append((COMMAND, value))
            value = given.get("cwd")
            if isinstance(value, str) and value.strip():
                found.append((CWD, value))
            given = [other for name, other in given.items()
                     if not (isinstance(other, str) and (name == "command" or name == "cwd"))]
        for value in strings_in(given):
            found.append((INPUT, value))
    value = part.title
    if value:
        found.append((TOOL_TITLE, value))
    value = part.error
    if value:
        found.append((ERROR, value))
    value = part.output
    if value:
        found.append((OUTPUT, value))
    return found


def string_values(value):
    """Every non-empty string inside a JSON value, in order, however deep it is nested.

    Raises ValueError for what holds itself.
    """
    return strings_in(value)


def fields(part):
    """The strings of a part that can be found, in order, each behind the byte of its field."""
    return fields_of(part)
