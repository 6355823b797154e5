"""The characters of a text that no display shows as they are: control characters, and characters without a shape.

They can move a cursor, reorder or hide text, and carry text that only a model reads.
"""

from __future__ import annotations

from typing import Final

# Control characters with ESC and CSI, format characters with bidirectional controls, private use, surrogates, and what
# Unicode lets a display ignore: fillers, characters without width, variation selectors and tags. Line separators, too.
UNSEEN_RANGES: Final = (
    "\x00-\x1f\x7f-\x9f"
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\U000f0000-\U0010ffff"
)
_EMOJI: Final = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    "\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Behind an unseen character: it is neither the selector of an emoji or a keycap, nor does it join two emoji.
NOT_IN_EMOJI: Final = (
    f"(?<!{_EMOJI}[\ufe0e\ufe0f])(?!(?<=[0-9#*]\ufe0f)\u20e3)"
    f"(?!(?<={_EMOJI}\u200d){_EMOJI})(?!(?<={_EMOJI}\ufe0f\u200d){_EMOJI})"
)
