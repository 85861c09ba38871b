"""Clusters of contacts that bounce ever lower together, with no limit that can be told: closed.

In a pile accumulations lie within accumulations: one disc rattles between two others, which rattle
in turn. Such impacts have no end and no word that repeats. Once all gaps of a cluster and all
energies of its contacts are below stated bounds, the whole cluster is closed in one event.
"""
