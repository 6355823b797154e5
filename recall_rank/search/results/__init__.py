"""Results: cuts the page from the ranked hits, adds snippets and confidence, and builds the response."""
