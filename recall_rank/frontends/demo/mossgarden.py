"""The invented project mossgarden: sessions about a web site on mosses, in Vue."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.demo.story import Story, edit, read, run, say, think, user

STORIES: Final = (
    Story(
        "mossgarden",
        "claude-code",
        "Search box ignores the second word",
        0.4,
        (
            user("On the species page typing 'sphagnum red' finds the same as 'sphagnum'."),
            read("src/composables/useSpeciesSearch.ts", "const term = query.value.trim().split(' ')[0]\n"),
            edit(
                "src/composables/useSpeciesSearch.ts",
                "const term = query.value.trim().split(' ')[0]",
                "const terms = query.value.trim().split(/\\s+/)",
            ),
            say("useSpeciesSearch only looked at the first word. Every word has to match now, in any order."),
        ),
    ),
    Story(
        "mossgarden",
        "opencode",
        "Image builds run out of memory",
        21.5,
        (
            user("The nightly build is killed while resizing photos."),
            run(
                "npm run build",
                "[vite] resizing 2,140 images\n"
                "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
                error=True,
            ),
            say(
                "All photos were resized at once. The build now limits itself to four at a time (IMAGE_CONCURRENCY) "
                "and keeps finished ones in .cache/images, so a second build takes 9 s instead of 6 minutes."
            ),
            user("Is that limit configurable?"),
            say("Yes, with the environment variable IMAGE_CONCURRENCY; the default is 4."),
        ),
    ),
    Story(
        "mossgarden",
        "claude-code",
        "Choosing a map library",
        44.0,
        (
            user("Which map library do we take for the find spots? It has to work offline in the field."),
            think("Vector tiles in one file, no key, no server: that rules out everything hosted."),
            say(
                "Decision: MapLibre with one PMTiles file for the region. Rejected: hosted tiles, because they need a "
                "key and rate-limit free accounts; raster tiles, because the region would be 2.3 GB instead of 140 MB."
            ),
            user("Why did we reject raster tiles again?"),
            say("Because of the size: 2.3 GB for the region against 140 MB as vector tiles."),
        ),
    ),
)
