"""The figures of the documentation: how they are measured, recorded, and put into the pages.

``pages`` finds their places in the pages, ``records`` are the files with what was measured, ``table`` lists
the measurements, which are in the other modules by topic.  ``scripts/docs_figures.py`` is the command.
"""
