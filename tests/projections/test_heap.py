"""A worker's native threads share one heap, so what they free can be used again by each."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ARENAS_AFTER_THREADS = """
import ctypes, sys, tempfile, threading
if sys.argv[1] == "one":
    from projections.heap import keep_one_heap
    keep_one_heap()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.fopen.restype = ctypes.c_void_p
meet = threading.Barrier(6)
def allocate():
    meet.wait()
    libc.malloc(ctypes.c_size_t(5000))
    meet.wait()
threads = [threading.Thread(target=allocate) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with tempfile.NamedTemporaryFile() as told:
    file = ctypes.c_void_p(libc.fopen(told.name.encode(), b"w"))
    libc.malloc_info(0, file)
    libc.fclose(file)
    print(open(told.name).read().count("<heap nr="))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or "glibc" not in os.confstr("CS_GNU_LIBC_VERSION"),
    reason="arenas are glibc's",
)
def test_native_threads_of_a_worker_share_one_arena() -> None:
    assert arenas("many", {}) > 1
    assert arenas("one", {}) == 1
    assert arenas("one", {"MALLOC_ARENA_MAX": "3"}) > 1, "who starts it decides"


def arenas(how: str, environment: dict[str, str]) -> int:
    told = subprocess.run(
        [sys.executable, "-c", ARENAS_AFTER_THREADS, how],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        timeout=30,
        check=True,
    )
    return int(told.stdout)
