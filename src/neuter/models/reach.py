"""Reaching a model without spending anything: is the server there, does it take the key?"""

from __future__ import annotations

import asyncio

from neuter.models.complaints import hopeless, server_down
from neuter.models.engines import Engine
from neuter.models.replies import is_redirect, read_fault
from neuter.models.transport import NoReply

#: A server that lists its models later than this is taken to be down.
LONGEST_WAIT = 20.0


async def reach(model: str, engine: Engine, timeout: float) -> None:
    """Ask the server for its list of models; an embedded model is loaded. To be run on the background loop.

    Raises:
        ModelError: the server is down or refuses the key, or the weights are damaged.
    """
    provider = engine.provider
    transport = engine.open(timeout=timeout, concurrency=1)
    try:
        async with asyncio.timeout(min(timeout, LONGEST_WAIT)):
            reply = await transport.ping()
    except TimeoutError:
        raise server_down(provider, model, transport.address, "no answer") from None
    except NoReply as error:
        raise server_down(provider, model, transport.address, error.reason) from error
    finally:
        await transport.close()
    # Any other status is a server that answers: some do not list their models.
    if reply.status in {401, 403} or is_redirect(reply.status):
        raise hopeless(read_fault(reply), provider, model, transport.address)
