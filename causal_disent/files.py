"""The file system: what is written appears whole or not at all; what a stranger made is read within bounds.

Files of a folder that a stranger may have made: none outside it, none larger than it should be.
"""

from __future__ import annotations

import errno
import glob
import itertools
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from causal_disent import errors
from causal_disent.text import shown_value

#: Endings of what is being written, and of what was moved away for it.
PARTIAL, REPLACED = ".partial", ".replaced"
#: Names folders that links in other folders may lead to, as PATH names folders.
LINKS = "CAUSAL_DISENT_LINKS"
#: What makes a temporary name a new one, as `tempfile` and `uuid` are asked for: a pattern of glob. Its length
#: tells what is being written at ``a`` from what is at ``a.b``.
NEW = "?" * 8
#: What is as long as the longest ending of a temporary name.
LONGEST_ENDING = f".{NEW}{REPLACED}"
#: What is said of a path where a file should be.
NO_FILE = "it is a folder, a pipe, a socket or a device, and no file"
#: Linux' numbers, for `renameat2`.
AT_FDCWD, RENAME_EXCHANGE = -100, 2
#: What this process has put in place so far, for a message when it is interrupted.
written: list[Path] = []

#: What this process has claimed, and the thread that did.
_claimed: set[tuple[Path, int]] = set()


@contextmanager
def claim(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Be the only process that writes `path`, for the time of the block.

    What a dead process left half-written there is removed: all who write `path` hold the claim, so that nobody
    alive can be using it. The claim is a lock on a hidden file beside `path`; the system drops it when its owner
    dies, however it dies. A thread may claim again what it has claimed. With `wait`, another process that writes
    it is waited for; otherwise `errors.InUse` is raised.
    """
    place = (path.absolute(), threading.get_ident())
    if place in _claimed:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    descriptor = _locked(lock, path, wait=wait)
    _claimed.add(place)
    try:
        if descriptor is not None:
            _recover(path)
        yield
    finally:
        _claimed.discard(place)
        if descriptor is not None:
            lock.unlink(missing_ok=True)
            os.close(descriptor)


def sweep(folder: Path, pattern: str = ".*.lock") -> None:
    """Remove what dead processes left half-written in `folder`; what a living one writes stays."""
    for lock in list(folder.glob(pattern)):
        with suppress(errors.InUse), claim(lock.with_name(lock.name[1:].removesuffix(".lock"))):
            pass


def _locked(lock: Path, path: Path, *, wait: bool) -> int | None:
    """The descriptor of the lock file, locked; None where the file system has no locks."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return None
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if lock.exists() and os.path.samestat(os.fstat(descriptor), lock.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise errors.InUse(
                f"Another process is writing {path}. Wait until it has ended, or choose another place."
            ) from None
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                return None
            raise
        os.close(descriptor)  # its owner removed it between the two calls


def _recover(path: Path) -> None:
    """Remove what a dead process left, and put back what it had moved away without a successor."""
    temporary = f".{glob.escape(path.name)}.{NEW}"
    for moved in path.parent.glob(temporary + REPLACED):
        if not os.path.lexists(path):
            moved.rename(path)
    for ending in (PARTIAL, REPLACED):
        for left in path.parent.glob(temporary + ending):
            remove(left)


def remove(path: Path) -> None:
    """Remove whatever is there: a file, a link itself, or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path, *, overwrite: bool, wait: bool = False) -> Iterator[Path]:
    """A temporary folder that takes the name `path` when the block ends well, and vanishes otherwise.

    An existing folder is replaced only then, and only with `overwrite`; at every moment the name has the old
    or the new one, or, where the system cannot exchange two names, the old one comes back at the next start.
    `wait` is as for `claim`.
    """
    _check_absent(path, overwrite=overwrite)
    with claim(path, wait=wait):
        _check_absent(path, overwrite=overwrite)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent))
        try:
            temporary.chmod(0o755)  # mkdtemp makes it private
            yield temporary
            _check_absent(path, overwrite=overwrite)
            _flush(temporary)
            _put_in_place(temporary, path)
        finally:
            remove(temporary)  # it is there if the block failed, and holds what was replaced


def _put_in_place(temporary: Path, path: Path) -> None:
    """Give the folder `temporary` the name `path`; what had it is `temporary` then."""
    if not path.exists():
        temporary.rename(path)
    elif not _exchange(temporary, path):
        moved = temporary.with_suffix(REPLACED)
        path.rename(moved)
        temporary.rename(path)
        moved.rename(temporary)
    written.append(path)
    _flush_one(path.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step, if the system can."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    names = (os.fsencode(one.absolute()), os.fsencode(other.absolute()))
    return rename is not None and rename(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary name that becomes `path` when the block ends well; who else writes it is waited for.

    A folder, a pipe or a device is not replaced: `path` must be a file, or nothing yet. Through a link, the file
    that it leads to is written, and the link stays.
    """
    path = _follow(path)
    _check_file(path)
    with claim(path, wait=True):
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}{PARTIAL}")
        try:
            yield temporary
            _flush(temporary)
            temporary.replace(path)
            written.append(path)
            _flush_one(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, whole or not at all."""
    with new_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def append_to(folder: Path, name: str) -> int:
    """The descriptor of a file in `folder`, open for what follows its end; it is made if it is not there.

    Neither a link nor a pipe that a stranger has put there is written to or waited for.
    """
    path = inside(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise unusable(path, NO_FILE) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise unusable(path, NO_FILE)
    return descriptor


def _flush(path: Path) -> None:
    """Have a file, or a folder with all that is in it, on the disk: a rename must not come before its content."""
    if not path.is_dir():
        _flush_one(path)
        return
    for folder, _, names in os.walk(path):
        for name in names:
            if not (file := Path(folder, name)).is_symlink():
                _flush_one(file)
        _flush_one(Path(folder))


def _flush_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot flush a folder
            raise
    finally:
        os.close(descriptor)


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise if no folder can be made at `path`, or if something is there that must not be replaced.

    For the beginning of a long run, so that it does not fail at its end.
    """
    check_place(path)
    _check_absent(path, overwrite=overwrite)


def check_place(path: Path) -> None:
    """Raise if the file system allows nothing new at `path`: a missing permission, say, or a name too long."""
    if path.name in ("", ".."):
        raise _no_output_at(path, "it has no name of its own that a new folder could take")
    if "\0" in str(path):
        raise _no_output_at(path, "no name has a zero byte")
    temporary = f".{path.name}{LONGEST_ENDING}"
    missing, above = [temporary], path.parent
    while not os.path.exists(above):  # unlike that of a Path, it says False where looking is not allowed
        if os.path.islink(above):
            raise _no_output_at(path, f"{above} is a link to {os.readlink(above)}, which is not there")
        missing.append(above.name)
        above = above.parent
    if not above.is_dir():
        raise _no_output_at(path, f"{above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise _no_output_at(path, f"the folder {above} may not be written to")
    for place in (path.parent / temporary, *(above / name for name in missing)):
        try:
            place.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _no_output_at(path, f"{error.strerror}") from None
        except UnicodeError:
            raise _no_output_at(path, "half a character is in its name") from None


def check_file_place(path: Path) -> None:
    """Raise if no file can be written at `path`, or if something else than a file is there."""
    path = _follow(path)
    check_place(path)
    _check_file(path)


def _follow(path: Path) -> Path:
    """The place that a link leads to; anything else as it is."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _check_file(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise _no_output_at(path, NO_FILE)


def _no_output_at(path: Path, reason: str) -> errors.InvalidInput:
    return errors.InvalidInput(f"{path} cannot be written: {reason}. Choose another place for the output.")


def _check_absent(path: Path, *, overwrite: bool) -> None:
    if path.exists() and not (overwrite and path.is_dir()):
        raise errors.OutputExists(
            f"The output folder {path} exists. Choose another, or replace it with --overwrite."
        )


def unusable(path: Path, reason: str) -> errors.InvalidInput:
    """The error for a file or folder that is not what it should be."""
    return errors.InvalidInput(f"{path} cannot be used: {reason.rstrip('.')}.")


def path_of(name: str, given: object) -> Path:
    """The path that a user gives for `name`, if the file system can be asked for it.

    Example:
        >>> path_of("folder", 5)  # so it comes from the command line
        PosixPath('5')
        >>> path_of("folder", "a" * 5000)
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: `folder` is no path that can be used: File name too long.
    """
    with errors.readable(f"`{name}`"):
        path = Path(str(given))
        try:
            path.lstat()
        except ValueError:  # a null in it
            raise errors.InvalidInput(f"`{name}` is no path: {shown_value(given)}.") from None
        except OSError as error:
            if error.errno in (errno.ENAMETOOLONG, errno.EACCES):
                raise errors.InvalidInput(f"`{name}` is no path that can be used: {error.strerror}.") from None
    return path


def regular(path: Path) -> Path:
    """`path`, if it is a file; whoever opened a pipe or a device would wait for it.

    A link may lead as `within` says, from the file's own folder. A file that is not there is for the caller to
    tell of.
    """
    if path.exists() and not path.is_file():
        raise unusable(path, NO_FILE)
    return within(path.parent, path) if path.is_symlink() else path


def within(folder: Path, path: Path) -> Path:
    """`path`, if it is in `folder` once all links are followed, or in a place that the user names with `LINKS`.

    Links within one download of huggingface_hub are followed.

    This is the one rule for links. The folder itself is the user's own word and may be reached through links;
    whoever goes down from it, by a name of its own or one that it lists, comes by here.
    """
    target = Path(os.path.realpath(path))
    named = (Path(place) for place in os.environ.get(LINKS, "").split(os.pathsep) if place)
    if not any(target.is_relative_to(os.path.realpath(place)) for place in (folder, *_blobs(folder), *named)):
        place = target if target.is_dir() else target.parent
        raise unusable(
            path,
            f"it is a symbolic link, or behind one, that leaves {folder}. If you trust {target}, set "
            f"{LINKS}={place}",
        )
    return path


def _blobs(folder: Path) -> list[Path]:
    """Where files are kept whose links are in `folder`, if it is one that huggingface_hub has downloaded.

    Of a repository it has ``snapshots/<commit>/...``, links to ``blobs/<hash>`` beside ``snapshots``.
    """
    whole = Path(os.path.realpath(folder))
    return [above.parent / "blobs" for above in (whole, *whole.parents) if above.name == "snapshots"]


def leaves(folder: str | Path, name: str) -> bool:
    """Whether `name`, listed in `folder`, is a link that `within` refuses."""
    path = Path(folder, name)
    try:
        return path.is_symlink() and not within(path.parent, path)
    except errors.InvalidInput:
        return True


def below(pattern: str) -> Path:
    """The folder that a glob names: its parts before the first with a wildcard, without its last."""
    parts = Path(pattern).parts[:-1]
    return Path(*itertools.takewhile(lambda part: not glob.has_magic(part) and "{" not in part, parts))


def find_paths(pattern: str) -> list[str]:
    """The paths that match a glob, in order; ``**`` stands for any number of folders, ``{a,b}`` for a or b.

    Example:
        >>> find_paths("{nowhere,nothing}/*")
        []
    """
    if (braces := re.search(r"\{([^{}]*,[^{}]*)\}", pattern)) and not os.path.lexists(pattern):
        ends = pattern[: braces.start()], pattern[braces.end() :]
        return sorted({path for part in braces[1].split(",") for path in find_paths(part.join(ends))})
    return sorted(glob.glob(pattern, recursive=True))


def inside(folder: Path, name: str) -> Path:
    """The path of `name` in `folder`, if it does not lead upwards, nor out of it by a link (see `within`)."""
    path = folder
    for part in PurePosixPath(name).parts:
        path = path / part
        if part in ("..", "/"):
            raise unusable(folder / name, "it leads out of the model's folder")
        if path.is_symlink():
            within(folder, path)
    return path


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a regular file, if there are at most that many."""
    try:
        # What is open is looked at, since another file may take the name in between; opening a pipe never waits.
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise unusable(path, "it is not there, or is no regular file")
            if state.st_size > most:
                raise unusable(path, f"it has {state.st_size:,} bytes, and {most:,} are the most that are read")
            return file.read(state.st_size)  # a buffer of the size that is asked for is taken at once
    except (FileNotFoundError, IsADirectoryError):
        raise unusable(path, "it is not there, or is no regular file") from None
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from None
