"""Content labels: bounded summaries of what lies below a router, and upper bounds on what can be found there."""

from hypursuit.label.browsing import BrowsingFunction
from hypursuit.label.budget import LabelBudget
from hypursuit.label.content import ContentLabel
from hypursuit.label.figure5 import figure5, to_json
from hypursuit.label.make import Abstraction, leaf_label, merge_labels
from hypursuit.label.parts import (
    Browsing,
    Card,
    Head,
    Host,
    LabelTerm,
    Links,
    OutwardLinks,
    Refinement,
    Sample,
    SubCluster,
)
from hypursuit.label.refinement import RefinementFunction
from hypursuit.label.route import RoutingFunction
from hypursuit.label.routing import RoutingPart
from hypursuit.label.rows import describing
from hypursuit.label.sources import AbstractionFunction, ChildLabels, IndexOfPages, LeafSource
from hypursuit.label.wire import decode, encode

__all__ = [
    "Abstraction",
    "AbstractionFunction",
    "Browsing",
    "BrowsingFunction",
    "Card",
    "ChildLabels",
    "ContentLabel",
    "Head",
    "Host",
    "IndexOfPages",
    "LabelBudget",
    "LabelTerm",
    "LeafSource",
    "Links",
    "OutwardLinks",
    "Refinement",
    "RefinementFunction",
    "RoutingFunction",
    "RoutingPart",
    "Sample",
    "SubCluster",
    "decode",
    "describing",
    "encode",
    "figure5",
    "leaf_label",
    "merge_labels",
    "to_json",
]
