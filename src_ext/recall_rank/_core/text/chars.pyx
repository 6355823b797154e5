"""The character tables of chars.pxd, filled at import from Python's Unicode database."""

import unicodedata

cdef CharTables CHARS


cdef bint is_mark(str char, str category):
    """Return whether folding removes a character of a category: a combining mark that is no letter of its script.

    Vowel signs and viramas of Indic scripts are kept, since they are letters of their words; accents and nuktas are
    removed. The order of the kept marks (combining classes 0, 9, 84 and 91) is equal in every normal form of Unicode.
    """
    if category != "Mn" and category != "Me":
        return False
    return not (0x0900 <= ord(char) < 0x0E00 and unicodedata.combining(char) in (0, 9, 84, 91))


cdef str folded_form(str char):
    """Return a character without marks and case, "" for a mark; the result for NFC and NFD text is equal."""
    for _ in range(2):
        kept = [c for c in unicodedata.normalize("NFKD", char) if not is_mark(c, unicodedata.category(c))]
        char = "".join(kept).casefold()
    return "".join([c for c in char if unicodedata.category(c)[0] in "LMN"])


cdef void load_tables():
    """Fill in the class and folded form of every code point below U+3000, and the folds of U+FB1D to U+FB4F.

    The latter are Hebrew letters composed with their points, which fold to the letter.
    """
    cdef int point, used = 0, k
    cdef str char, category, folded
    category_of, decomposition_of = unicodedata.category, unicodedata.decomposition  # asked for every code point
    for point in range(TABLE):
        char = chr(point)
        category = category_of(char)
        CHARS.classes[point] = SEPARATOR
        CHARS.folds[point] = point
        if 0x0E00 <= point < 0x0F00 or 0x1000 <= point < 0x10A0 or 0x1780 <= point < 0x1800:
            # Thai, Lao, Myanmar, Khmer: no spaces between words, and vowel signs matter
            if category[0] in "LM":
                CHARS.classes[point] = CJK
            elif category == "Nd":
                CHARS.classes[point] = DIGIT
                CHARS.folds[point] = 48 + unicodedata.digit(char)
            continue
        if 0x1100 <= point < 0x1200:
            CHARS.classes[point] = CJK  # conjoining jamo, composed while reading
            continue
        if category == "Nd":
            CHARS.classes[point] = DIGIT
            CHARS.folds[point] = 48 + unicodedata.digit(char)
        elif is_mark(char, category) or point == 0x0640:  # Arabic tatweel only stretches a word
            CHARS.classes[point] = MARK
        elif category[0] in "LM":
            CHARS.classes[point] = UPPER if category in ("Lu", "Lt") else LOWER if category == "Ll" else LETTER
            if not decomposition_of(char) and char.casefold() == char:
                continue  # as most are: their own folded form
            folded = folded_form(char)
            if 0 < len(folded) <= 3 and all(ord(c) < TABLE for c in folded):
                if len(folded) == 1:
                    CHARS.folds[point] = ord(folded)
                elif used < EXPANSIONS:
                    CHARS.folds[point] = EXPANDED + used
                    for k in range(3):
                        CHARS.expanded[used][k] = ord(folded[k]) if k < len(folded) else 0
                    used += 1
        elif category == "No" or category == "Nl":
            folded = unicodedata.normalize("NFKC", char)
            if len(folded) == 1 and folded.isdigit() and ord(folded) < TABLE:
                CHARS.classes[point] = DIGIT
                CHARS.folds[point] = ord(folded)
        elif category == "So" and point >= 0x2600:
            CHARS.classes[point] = EMOJI
    # letters that Arabic and Persian writers use for each other, at the end of words or by their keyboard
    CHARS.folds[0x0629] = 0x0647  # teh marbuta, heh
    CHARS.folds[0x0649] = CHARS.folds[0x06CC] = 0x064A  # alef maksura, Farsi yeh, yeh
    CHARS.folds[0x06A9] = 0x0643  # keheh, kaf
    CHARS.classes[0x200D] = MARK
    CHARS.classes[0x200C] = MARK
    CHARS.classes[0x00AD] = MARK
    for point in range(HEBREW):
        folded = folded_form(chr(0xFB1D + point))
        CHARS.hebrew[point] = ord(folded) if len(folded) == 1 else 0xFB1D + point


load_tables()


cdef const CharTables* char_tables() noexcept nogil:
    """Return the tables: one read-only copy for all kernels, valid until the process ends."""
    return &CHARS
