from typing import Final

FEATURE_NAMES: Final[tuple[str, ...]]
