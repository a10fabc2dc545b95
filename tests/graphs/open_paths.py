"""d-separation by its definition, path by path, to compare with."""

import networkx as nx


def open_paths(graph, first, second, known):
    """The paths between two nodes, whatever their edges' directions, that are open given the nodes `known`.

    An inner node blocks a path if it is known; where two arrows meet, if neither it nor what it causes is.
    """
    for path in nx.all_simple_paths(graph.to_undirected(), first, second):
        for before, node, after in zip(path, path[1:], path[2:], strict=False):
            meets = graph.has_edge(before, node) and graph.has_edge(after, node)
            reached = ({node} | nx.descendants(graph, node)) & known if meets else {node} & known
            if bool(reached) != meets:
                break
        else:
            yield path
