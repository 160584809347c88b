"""The job of urltree. Import `urltree`, which uses this module if it is installed."""
