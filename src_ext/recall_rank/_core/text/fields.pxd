cdef enum:  # the byte that begins a field in the text of a segment: no UTF-8 text holds it
    TEXT = 0xF8
    OUTPUT = 0xF9
    ERROR = 0xFA
    COMMAND = 0xFB
    INPUT = 0xFC
    TOOL_TITLE = 0xFD
    PROMPT = 0xFE
    CWD = 0xFF

cdef list strings_in(value)
cdef list fields_of(part)
