"""Analysis of texts: normalisation, searchable fields, stems, and the intent and dates of a query."""
