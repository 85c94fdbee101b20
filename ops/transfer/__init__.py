"""Import and export: a file of entries into a window of a board, and out of it."""
