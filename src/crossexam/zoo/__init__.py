"""Neural models of the studies, one file an architecture, each reads beside its paper.

Needs the extra ``torch``; importing this package loads nothing.
"""
