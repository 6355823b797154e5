"""The fields of a part, that is of a piece of a message: its strings that a search can find.

In a segment's text, each field begins with a byte that labels it.
"""

from recall_rank._core.text.fields cimport COMMAND, CWD, ERROR, INPUT, OUTPUT, PROMPT, TEXT, TOOL_TITLE

cdef enum:
    MAX_DEPTH = 64  # nested containers that are read by recursion on the C stack

cdef object CONTAINER_END = object()
cdef str CYCLE_MESSAGE = "an input must be a JSON value, not one that holds itself"


cdef int collect_strings(value, list found, list above) except -1:
    """Append the non-empty strings in a JSON value to `found`, depth first, without the keys of dicts.

    `above` are the containers around the value. Raises ValueError for a container that contains itself.
    """
    if isinstance(value, str):
        if value:
            found.append(value)
    elif isinstance(value, (dict, list, tuple)):
        if len(above) == MAX_DEPTH:
            return collect_strings_iteratively(value, found, above)
        for each in above:
            if each is value:
                raise ValueError(CYCLE_MESSAGE)
        above.append(value)
        for each in value.values() if isinstance(value, dict) else value:
            collect_strings(each, found, above)
        above.pop()
    return 0


cdef int collect_strings_iteratively(value, list found, list above) except -1:
    """Append the non-empty strings in a container to `found`, depth first, without recursion.

    `above` are the containers around it. The values to be read lie on a stack; behind those of a container lies
    CONTAINER_END, which closes the container. Raises ValueError for a container that contains itself.
    """
    cdef set opened = {id(each) for each in above}
    cdef list waiting = [value], inner = []
    while waiting:
        value = waiting.pop()
        if value is CONTAINER_END:
            opened.discard(id(inner.pop()))
        elif isinstance(value, (dict, list, tuple)):
            if id(value) in opened:
                raise ValueError(CYCLE_MESSAGE)
            opened.add(id(value))
            inner.append(value)
            waiting.append(CONTAINER_END)
            waiting.extend(reversed(value.values() if isinstance(value, dict) else value))
        elif isinstance(value, str) and value:
            found.append(value)
    return 0


cdef list json_strings(value):
    """Return the list of the non-empty strings in a JSON value, depth first, without the keys of dicts.

    Raises ValueError for a container that contains itself.
    """
    cdef list found = []
    collect_strings(value, found, [])
    return found


cdef list part_fields(part):
    """Return the non-empty fields of a Part: a list of (label, text), label one of TEXT to CWD (0xF8 to 0xFF).

    The order is text, prompt, command, cwd, input, title, error, output. Raises ValueError for an input that contains
    itself.
    """
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
        for value in json_strings(given):
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
    """Return the list of the non-empty strings in a JSON value (str, dict, list, tuple), depth first, at any depth.

    The keys of a dict are left out. Raises ValueError for a container that contains itself.
    """
    return json_strings(value)


def fields(part):
    """Return the fields of a Part: a list of (label, text), label one of TEXT to CWD (0xF8 to 0xFF).

    The order is text, prompt, command, cwd, input, title, error, output. If the input of a tool is a dict, its strings
    'command' and 'cwd' are fields of their own, unless they are blank; every other string in the input is a field
    INPUT. Empty strings are left out. Raises ValueError for an input that contains itself.
    """
    return part_fields(part)
