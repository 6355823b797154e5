"""The picker in the terminal: results while a query is typed, a preview, and what can be done with a hit.

`state`, `entries`, `search`, `preview` and `latest_worker` do not know Textual; `widgets`, `screens` and `app` draw.
"""
