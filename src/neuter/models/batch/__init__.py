"""The provider's batch API over the same store and keys as online calls: cheaper, and answered within a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.models.batch.filling import Batches as Batches
    from neuter.models.batch.rows import OpenBatch as OpenBatch
    from neuter.models.batch.rows import open_batches as open_batches
    from neuter.models.batch.settings import BatchSettings as BatchSettings

_HOME = {"Batches": "filling", "OpenBatch": "rows", "open_batches": "rows", "BatchSettings": "settings"}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
