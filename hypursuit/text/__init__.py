"""From pages to terms: words, stop list, stems, weights, the term matrix."""
