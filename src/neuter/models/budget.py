"""What a run may spend: dollars, requests, minutes. Nothing is sent that would pass one of them."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from neuter.errors import LimitReached, UsageError
from neuter.models.store import Store
from neuter.models.store.ledger import Spent, spent_by_run

_ON = "what is answered is kept, and the same command goes on from there with a higher limit"


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """``max_cost`` in US dollars, ``max_requests`` sent (repeated ones among them, but not those that a server turned
    away for its rate or that never reached it), ``max_minutes`` of this session.

    None is no limit. The first two hold for a run with all its resumptions, the third for each of these.

    Raises:
        UsageError: one of them is not above 0.
    """

    max_cost: float | None = None
    max_requests: int | None = None
    max_minutes: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_cost", "max_requests", "max_minutes"):
            value = getattr(self, name)
            if value is None:
                continue
            whole = name != "max_requests" or isinstance(value, int)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not whole:
                raise UsageError(
                    f"{name.replace('_', '-')} {value!r} is not a {'number' if whole else 'whole number'}"
                )
            if not 0 < value < float("inf"):
                raise UsageError(f"{name.replace('_', '-')} {value} is not above 0")


class Budget:
    """The limits of one run, shared by its models. ``run`` is its id in the ledger; without one it gets one.

    To be used on the background loop, but for ``start``.
    """

    def __init__(self, run: str | None = None, limits: SpendingLimits | None = None) -> None:
        self.run = run or uuid.uuid4().hex
        self.limits = limits or SpendingLimits()
        self.spent = Spent()
        self._reserved: dict[int, float] = {}
        self._settled = asyncio.Event()
        self._turn = asyncio.Lock()
        self._deadline: float | None = None
        self._started = False

    def start(self, store: Store) -> None:
        """Look up what the run has spent before, and let its time begin; a second call does nothing."""
        if self._started:
            return
        self._started = True
        self.spent = spent_by_run(store, self.run)
        if self.limits.max_minutes:
            self._deadline = time.monotonic() + 60.0 * self.limits.max_minutes

    @property
    def seconds_left(self) -> float:
        """Until the run's deadline; infinite without one."""
        return float("inf") if self._deadline is None else self._deadline - time.monotonic()

    async def reserve(
        self, attempt: int, estimate: Callable[[], float | None], is_blind: Callable[[], bool] = lambda: False
    ) -> float | None:
        """Set an estimate in US dollars aside for an attempt, or wait until others have turned out cheaper.

        Where there is a limit on cost and ``is_blind`` says that nothing is known of the answers, one is waited for
        before more are asked for.

        Returns:
            The estimate, as it was when the money was set aside.

        Raises:
            LimitReached: the attempt would pass a limit.
        """
        # One after the other, in the order of their coming: else a later call would go before one that waits.
        async with self._turn:
            while True:
                self._check_time()
                self._check_requests()
                dollars = estimate()
                must_wait = self.limits.max_cost is not None and self._reserved and is_blind()
                if not must_wait and self._fits(dollars or 0.0):
                    break
                if not self._reserved:
                    raise self._cost_reached()
                self._settled.clear()
                await self._settled.wait()
            self._reserved[attempt] = dollars or 0.0
            return dollars

    def settle(self, attempt: int, cost: float | None, possibly: float | None = None) -> None:
        """The attempt has cost ``cost`` US dollars, or ``possibly`` so much; None is not known."""
        self._reserved.pop(attempt, None)
        self.spent = self.spent.plus(cost, possibly)
        self._settled.set()

    def release(self, attempt: int) -> None:
        """The attempt was not sent."""
        self._reserved.pop(attempt, None)
        self._settled.set()

    def _fits(self, estimate: float) -> bool:
        most = self.limits.max_cost
        return most is None or self.spent.at_most + sum(self._reserved.values()) + estimate <= most

    def time_is_up(self) -> LimitReached:
        """What to tell where the run has used its minutes."""
        return LimitReached(
            f"the run has used its {self.limits.max_minutes or 0:g} minutes (--max-minutes)",
            todo="What is answered is kept, and the same command goes on from there",
        )

    def _check_time(self) -> None:
        if self.seconds_left <= 0:
            raise self.time_is_up()

    def _check_requests(self) -> None:
        sent = self.spent.attempts + len(self._reserved)
        if self.limits.max_requests is not None and sent >= self.limits.max_requests:
            raise requests_reached(sent, self.limits.max_requests)

    def _cost_reached(self) -> LimitReached:
        return cost_reached(self.spent, self.limits.max_cost or 0.0)


def requests_reached(sent: int, most: int) -> LimitReached:
    """What to tell where a run has sent as many requests as it may."""
    return LimitReached(
        f"the run has sent {sent:,} requests that count (those turned away do not), "
        f"and --max-requests is {most:,}",
        todo=_ON.capitalize(),
    )


def cost_reached(spent: Spent, most: float) -> LimitReached:
    """What to tell where the next request might cost more US dollars than a run may spend."""
    doubtful = spent.possibly + spent.under_way_cost
    possibly = f" (${doubtful:.4f} of it possibly)" if doubtful else ""
    return LimitReached(
        f"the run has spent ${spent.at_most:.4f}{possibly}, and the next request might pass --max-cost {most:g}",
        todo=_ON.capitalize(),
    )


def no_price(model: str) -> UsageError:
    """A limit on dollars cannot be kept where nobody knows what a call costs."""
    return UsageError(
        "--max-cost needs the model's price, and it is not known",
        where=model,
        todo=f'Write [prices."{model}"] with input and output (US dollars for a million tokens) in neuter.toml; '
        "0 for a server of your own; or limit the requests: --max-requests N",
    )
