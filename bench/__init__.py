"""Benchmarks of tictac: each is a command that compares with something in the same run.

``python -m bench`` lists them. docs/design/benchmarks.md describes what they measure.
"""
