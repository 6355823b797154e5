"""Which strings of a part can be found, and what each of them is."""

from recall_rank._core.fields cimport COMMAND, CWD, ERROR, INPUT, OUTPUT, PROMPT, TEXT, TOOL_TITLE

cdef enum:
    DEEP = 64  # levels that the C stack is asked to hold


cdef int collect(value, list found, int depth) except -1:
    cdef list waiting
    if isinstance(value, str):
        if value:
            found.append(value)
    elif depth < DEEP:
        if isinstance(value, dict):
            for each in value.values():
                collect(each, found, depth + 1)
        elif isinstance(value, (list, tuple)):
            for each in value:
                collect(each, found, depth + 1)
    else:
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                waiting.extend(reversed(value.values()))
            elif isinstance(value, (list, tuple)):
                waiting.extend(reversed(value))
            else:
                collect(value, found, 0)
    return 0


cdef list strings_in(value):
    """Every non-empty string inside a JSON value, in order."""
    cdef list found = []
    collect(value, found, 0)
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
    """Every non-empty string inside a JSON value, in order, however deep it is nested."""
    return strings_in(value)


def fields(part):
    """The strings of a part that can be found, in order, each behind the byte of its field."""
    return fields_of(part)
