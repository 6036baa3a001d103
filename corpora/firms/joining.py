"""Joining the evidence of firms: by CIK, ticker, equal name, equal number of shares, and by hand; never by likeness."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from evidence import PANEL_START, Edge, Holding, Node, kept_at, months_of

from neuter.firms.names import full_form, weak_form

#: Blank-check firms trade near $10 and have alike round numbers of shares, which then prove nothing.
BLANK_CHECK = (9.3, 10.9)


class Joined:
    """Union-find over nodes that never joins two CIKs."""

    def __init__(self, nodes: list[Node]) -> None:
        self.parent = list(range(len(nodes)))
        # A firm kept by hand whose CIK nobody wrote down is as much its own as one with a CIK.
        self.cik = [n.cik or (-n.kept if n.own else None) for n in nodes]

    def root(self, i: int) -> int:
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def join(self, a: int, b: int) -> bool:
        a, b = self.root(a), self.root(b)
        if a == b:
            return True
        if self.cik[a] and self.cik[b] and self.cik[a] != self.cik[b]:
            return False
        self.parent[b] = a
        self.cik[a] = self.cik[a] or self.cik[b]
        return True


@dataclass(frozen=True)
class Sources:
    """Nodes by source; a node's number is its place in ``nodes``."""

    sec: list[Node]
    panel: list[Node]
    sp: list[Node]
    kept: list[tuple[Node, str]]

    @cached_property
    def nodes(self) -> list[Node]:
        return [*self.sec, *self.panel, *self.sp, *(node for node, _ in self.kept)]

    @cached_property
    def current(self) -> dict[str, int]:
        """The SEC's holder of each ticker."""
        return {t.value: i for i, n in enumerate(self.sec) for t in n.tickers}

    @property
    def of_panel(self) -> range:
        return range(len(self.sec), len(self.sec) + len(self.panel))

    @property
    def of_sp(self) -> range:
        return range(self.of_panel.stop, self.of_panel.stop + len(self.sp))


def join_all(sources: Sources, same: dict[str, list[str]], review: bool) -> dict[int, list[Node]]:
    nodes, joined = sources.nodes, Joined(sources.nodes)
    by_hand = _join_kept(sources, joined)
    _join_by_ticker(sources, joined, review)
    _join_by_name(nodes, joined, [i for i in range(sources.of_panel.stop) if i not in by_hand])
    _join_by_shares(nodes, joined, sources.of_panel, review)
    _join_index(sources, joined, by_hand)
    _join_by_name(nodes, joined, [i for i in range(sources.of_sp.stop) if i not in by_hand])
    _join_by_hand(nodes, joined, sources.current, same)
    for i, (_, now) in enumerate(sources.kept, sources.of_sp.stop):
        if now and now not in sources.current:
            joined.join(_holder(now, sources), i)
    groups: dict[int, list[Node]] = defaultdict(list)
    for i, node in enumerate(nodes):
        groups[joined.root(i)].append(node)
    if review:
        _print_renamed(sources.sp)
    return groups


def _join_kept(sources: Sources, joined: Joined) -> set[int]:
    """Joins the firms kept by hand with the firms that they go on as, and with their own listings.

    Returns:
        The listings: what is kept by hand is not to be joined by name.
    """
    by_cik = {node.cik: i for i, node in enumerate(sources.sec)}
    for i, (node, now) in enumerate(sources.kept, sources.of_sp.stop):
        at = sources.current.get(now, by_cik.get(node.cik) if node.cik else None)
        if at is not None:
            joined.join(at, i)
    hand = [node for node, _ in sources.kept]
    listings = set()
    for which, opening in ((sources.of_sp, "0"), (sources.of_panel, PANEL_START)):
        for i in which:
            place = kept_at(sources.nodes[i], hand, opening)
            if place is not None:
                joined.join(sources.of_sp.stop + place, i)
                listings.add(i)
    return listings


def _join_by_ticker(sources: Sources, joined: Joined, review: bool) -> None:
    for i, node in enumerate(sources.panel, sources.of_panel.start):
        ticker, at = node.tickers[0], sources.current.get(node.tickers[0].value)
        if ticker.last is None and at is not None:
            joined.join(at, i)
            if review and not _alike(sources.nodes[at], node):
                print("by ticker alone:", _called(node), "|", sources.nodes[at].names[0].value)


def _join_index(sources: Sources, joined: Joined, by_hand: set[int]) -> None:
    runs: dict[str, list[int]] = defaultdict(list)
    for i, node in enumerate(sources.panel, sources.of_panel.start):
        runs[node.tickers[0].value].append(i)
    for i, node in enumerate(sources.sp, sources.of_sp.start):
        target = None if i in by_hand else _held_at(node, runs, sources.nodes, sources.current)
        if target is not None:
            joined.join(target, i)


def _print_renamed(sp: list[Node]) -> None:
    for node in sp:
        keys = [full_form(n.value) for n in node.names]
        if any(not set(a) & set(b) for a, b in pairwise(keys)):
            print("index rename:", node.tickers[0].value, [(n.value, n.first) for n in node.names])


def _held_at(
    node: Node, runs: dict[str, list[int]], nodes: list[Node], current: dict[str, int]
) -> int | None:
    """The panel's holder of the ticker at the end of the index node's time."""
    holding = node.tickers[0]
    end = holding.last or "9999"
    held = [(i, nodes[i].tickers[0]) for i in runs.get(holding.value, [])]
    for i, run in held:
        if (run.first or "0") <= end <= (run.last or "9999") and end >= PANEL_START:
            return i
    for i, run in held:
        if (run.first or "0") <= end and _alike(nodes[i], node):
            return i
    at = current.get(holding.value)
    return at if at is not None and _alike(nodes[at], node) else None


def _alike(a: Node, b: Node) -> bool:
    keys = {weak_form(full_form(n.value)) for n in a.names}
    return any(weak_form(full_form(n.value)) in keys for n in b.names)


def _join_by_name(nodes: list[Node], joined: Joined, which: Iterable[int]) -> None:
    """Joins nodes of one name, borne without a gap of over a year, where it belongs to one CIK or to none."""
    owners: dict[tuple[str, ...], list[tuple[Holding, int]]] = defaultdict(list)
    for i in which:
        for name in nodes[i].names:
            key = full_form(name.value)
            if key:
                owners[key].append((name, i))
    for holders in owners.values():
        ciks = {joined.cik[joined.root(i)] for _, i in holders} - {None}
        if len(ciks) > 1:
            continue
        dated = sorted(holders, key=lambda h: (h[0].first or "0", h[0].last or "9999"))
        spans = [h for h in dated if nodes[h[1]].cik is None]
        reach = spans[0][0].last or "9999" if spans else "9999"
        for (_, one), (span, other) in pairwise(spans):
            # Leaving the index is not the end of a listing.
            gap = 96 if nodes[one].short else 12
            if months_of(span.first) - months_of(reach) <= gap:
                joined.join(one, other)
            reach = max(reach, span.last or "9999")
        sec = [i for _, i in holders if nodes[i].cik is not None]
        if sec and spans:
            joined.join(sec[0], spans[-1][1])


def _join_by_shares(nodes: list[Node], joined: Joined, which: range, review: bool) -> None:
    """Joins a listing that ended to the one that began in the next month with the same number of shares.

    A firm that changes ticker and name together keeps its shares, country and industry, and about its price.
    """
    begun: dict[int, list[int]] = defaultdict(list)
    ended: dict[int, list[int]] = defaultdict(list)
    for i in which:
        start, stop, held = nodes[i].start, nodes[i].stop, nodes[i].tickers[0]
        if any(" Acquisition " in f"{name.value} " for name in nodes[i].names):
            continue
        if start and held.first:
            begun[start[0]].append(i)
        if stop and held.last:
            ended[stop[0]].append(i)
    for month, listings in ended.items():
        for i in listings:
            after = [j for j in begun[month + 1] if _continues(nodes[i].stop, nodes[j].start)]
            before = [j for j in listings if after and _continues(nodes[j].stop, nodes[after[0]].start)]
            if len(after) == len(before) == 1 and joined.root(i) != joined.root(after[0]):
                done = joined.join(after[0], i)
                if review and done:
                    print("by shares:", _called(nodes[i]), "->", _called(nodes[after[0]]))


def _called(node: Node) -> str:
    return f"{node.tickers[0].value} {node.names[-1].value if node.names else ''}"


def _continues(stop: Edge | None, start: Edge | None) -> bool:
    if start is None or stop is None or BLANK_CHECK[0] < stop[2] < BLANK_CHECK[1]:
        return False
    same_shares = abs(start[1] / stop[1] - 1) < 0.005
    return same_shares and 0.6 < start[2] / stop[2] < 1.6 and start[3:] == stop[3:]


def _join_by_hand(
    nodes: list[Node], joined: Joined, current: dict[str, int], same: dict[str, list[str]]
) -> None:
    """Joins the ended listings of tickers that joins.toml gives to the firm that holds the later one."""
    ended: dict[str, list[int]] = defaultdict(list)
    for i, node in enumerate(nodes):
        if node.cik is None and any(t.last for t in node.tickers):
            ended[node.tickers[0].value].append(i)
    for now, before in same.items():
        holder = current.get(now, next(iter(ended[now]), None))
        if holder is None:
            raise SystemExit(f"joins.toml: nobody holds {now}")
        for entry in before:
            old, _, begun = entry.partition("@")
            # "HCP@2019-12": only listings that began by then; another firm took the ticker up later.
            held = [i for i in ended[old] if not begun or (nodes[i].tickers[0].first or "")[:7] <= begun]
            if not held:
                raise SystemExit(f"joins.toml: no ended listing of {entry}")
            for i in held:
                joined.join(holder, i)


def _holder(now: str, sources: Sources) -> int:
    """The listing that held the ticker last."""
    ended = [i for i in sources.of_panel if any(t.value == now for t in sources.nodes[i].tickers)]
    if not ended:
        raise SystemExit(f"delisted.toml: nobody holds {now}")
    return ended[-1]
