"""Neural models of the published studies, one file per architecture, to be read beside its paper.

Needs the extra ``torch``; importing this package loads nothing.
"""
