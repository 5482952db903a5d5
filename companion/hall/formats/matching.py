"""Pairings and groups by maximum-weight matching (``networkx``: Edmonds' blossom algorithm)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import networkx as nx

from companion.hall.formats.values import Group, Player
from companion.model.phrases import phrase

INITIAL_REACH = 24
"""Nearest opponents in order that are considered for each player at first; more if they do not suffice."""

MAX_ROTATIONS = 20
"""Most rotations of a draw that are tried to avoid rematches."""

MeetingCounts = Mapping[frozenset[Player], int]
"""How often each pair of players sat at one table."""

PairCost = Callable[[Player, Player], int | None]
"""Returns the cost of a pair, lower is better; ``None`` where it is forbidden."""


def pairs(order: Sequence[Player], cost: PairCost) -> list[tuple[Player, Player]] | None:
    """Return the cheapest pairs of all players, ``None`` where every pairing has a forbidden pair.

    The number of players is even.  Pairs are in the order of their first players in ``order``.
    """
    reach = min(INITIAL_REACH, len(order))
    while True:
        found = pairs_within_reach(order, cost, reach)
        if found is not None or reach >= len(order):
            return found
        reach = min(2 * reach, len(order))


def pairs_within_reach(
    order: Sequence[Player], cost: PairCost, reach: int
) -> list[tuple[Player, Player]] | None:
    """Return the cheapest pairs of players that are at most ``reach`` apart in order, ``None`` for none."""
    graph: nx.Graph[Player] = nx.Graph()
    graph.add_nodes_from(order)
    for first, one in enumerate(order):
        for other in order[first + 1 : first + 1 + reach]:
            costs = cost(one, other)
            if costs is not None:
                graph.add_edge(one, other, weight=-costs)
    found = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < len(order):
        return None
    place = {player: number for number, player in enumerate(order)}
    both = [tuple(sorted(pair, key=place.__getitem__)) for pair in found]
    return sorted(((one, other) for one, other in both), key=lambda pair: place[pair[0]])


def groups(order: Sequence[Player], sizes: Sequence[int], met: MeetingCounts) -> list[Group]:
    """Return groups of the given sizes with few rematches, or with none where such groups are found.

    Layers are filled from the drawn order and from some of its rotations; the first groups with the fewest
    rematches are returned.
    """
    tries = (
        groups_by_layers([*order[by:], *order[:by]], sizes, met)
        for by in range(min(MAX_ROTATIONS, len(order)) or 1)
    )
    best: tuple[int, list[Group]] | None = None
    for found in tries:
        again = sum(met.get(pair, 0) for group in found for pair in meetings(group))
        if best is None or again < best[0]:
            best = again, found
        if not again:
            break
    return best[1] if best else []


def meetings(group: Group) -> list[frozenset[Player]]:
    """Return all pairs of a group."""
    return [frozenset(pair) for pair in combinations(group.players, 2)]


def groups_by_layers(order: Sequence[Player], sizes: Sequence[int], met: MeetingCounts) -> list[Group]:
    """Return groups, each opened by one of the first players of an order; the others join layer by layer.

    Each layer is the cheapest assignment of its players to the groups.
    """
    opened = [[player] for player in order[: len(sizes)]]
    rest = list(order[len(sizes) :])
    for layer in range(1, max(sizes, default=0)):
        open_groups = [number for number, size in enumerate(sizes) if size > layer]
        joining, rest = rest[: len(open_groups)], rest[len(open_groups) :]
        for number, player in fewest_meetings_assignment(joining, [opened[n] for n in open_groups], met):
            opened[open_groups[number]].append(player)
    return [Group(tuple(group)) for group in opened]


def fewest_meetings_assignment(
    players: Sequence[Player],
    to: Sequence[Sequence[Player]],
    met: MeetingCounts,
) -> list[tuple[int, Player]]:
    """Return the assignment of players to equally many groups with the fewest rematches.

    The given order is returned at once if it has no rematch.
    """
    if not any(
        met.get(frozenset((one, other))) for one, group in zip(players, to, strict=True) for other in group
    ):
        return list(enumerate(players))
    graph: nx.Graph[tuple[str, int]] = nx.Graph()
    for seat, player in enumerate(players):
        for number, group in enumerate(to):
            again = sum(met.get(frozenset((player, other)), 0) ** 2 for other in group)
            shift = (seat - number) % len(to)  # breaks ties by the draw
            graph.add_edge(("player", seat), ("group", number), weight=-(again * 1000 * len(to) + shift))
    found = nx.max_weight_matching(graph, maxcardinality=True)
    ends = [dict((one, other)) for one, other in found]
    return sorted((end["group"], players[end["player"]]) for end in ends)


def group_sizes(players: int, least: int, most: int, wanted: int) -> list[int]:
    """Return sizes of groups, as near to ``wanted`` and to each other as possible, the larger first.

    Raises
    ------
    ValueError
        Where the number of players cannot be split into such groups.
    """
    counts = [n for n in range(1, players + 1) if n * least <= players <= n * most]
    if not counts:
        raise ValueError(
            phrase(
                "%(players)s players cannot be split into groups of %(least)s to %(most)s",
                players=players,
                least=least,
                most=most,
            )
        )
    count = min(counts, key=lambda n: (abs(players / n - wanted), -n))
    small, larger = divmod(players, count)
    return [small + 1] * larger + [small] * (count - larger)
