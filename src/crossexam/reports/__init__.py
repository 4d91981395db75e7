"""Reports of runs: terminal, Markdown, LaTeX, CSV, JSON, and one HTML page that works offline."""
