"""The options of each command: a dataclass, from which the command line and its help are made."""
