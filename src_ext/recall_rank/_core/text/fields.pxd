cdef enum:  # the byte that begins a field in the text of a segment; it occurs nowhere in UTF-8
    TEXT = 0xF8
    OUTPUT = 0xF9
    ERROR = 0xFA
    COMMAND = 0xFB
    INPUT = 0xFC
    TOOL_TITLE = 0xFD
    PROMPT = 0xFE
    CWD = 0xFF

cdef list json_strings(value)
cdef list part_fields(part)
