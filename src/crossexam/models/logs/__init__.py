"""Logs of other harnesses as models: ``log/PATH``."""
