"""A store on a network file system: SQLite's shared memory does not work there, so one process alone may use it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from neuter.errors import StoreError

if TYPE_CHECKING:
    from filelock import BaseFileLock

#: File systems that several machines may have mounted at once, as the system names them.
_NETWORK = (
    *("nfs", "cifs", "smb", "9p", "afs", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "fuse.sshfs"),
    *("fuse.glusterfs", "fuse.ceph", "pvfs", "orangefs", "webdav", "davfs", "weka", "panfs", "afpfs"),
    *("virtiofs", "vboxsf", "drvfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse"),
)


def is_on_network(path: Path) -> bool:
    """Whether the folder of ``path`` lies on a network file system, as far as the system tells."""
    place = path.resolve().parent
    return str(place).startswith("\\\\") or file_system(place).lower().startswith(_NETWORK)


def file_system(folder: Path) -> str:
    """The type of the file system that ``folder`` lies on; empty where that cannot be told."""
    import psutil

    place = folder.resolve()
    try:
        mounts = psutil.disk_partitions(all=True)
    except OSError:
        return ""
    over = [mount for mount in mounts if place.is_relative_to(mount.mountpoint)]
    # Of two mounts on one place the later hides the earlier.
    if not over:
        return ""
    mount = max(enumerate(over), key=lambda one: (len(one[1].mountpoint), one[0]))[1]
    # Windows tells a mapped drive by its options, and its file system as that of the server's disk.
    return "smb" if "remote" in mount.opts.split(",") else str(mount.fstype)


def hold_alone(path: Path) -> BaseFileLock:
    """The lock beside the store, held until it is released.

    Raises:
        StoreError: another process holds it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(f"{path}.lock", timeout=0)
    try:
        lock.acquire()
    except (Timeout, NotImplementedError) as error:
        raise StoreError(
            f"another process uses this store, and on a network file system ({file_system(path.parent)}) only one may",
            where=str(path),
            todo="Wait for it, or name a file on a local disk with the environment variable NEUTER_STORE",
        ) from error
    return lock
