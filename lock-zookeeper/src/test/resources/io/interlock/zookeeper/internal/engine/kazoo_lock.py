"""Increments a counter in a file under a lock of Kazoo.

Arguments: connect string, path of the lock, directory of the counter, number of rounds.
"""
import os
import sys

from kazoo.client import KazooClient

connect_string, path, directory, rounds = sys.argv[1:]
inside = os.path.join(directory, "inside")
count = os.path.join(directory, "count")

client = KazooClient(hosts=connect_string)
client.start()
for _ in range(int(rounds)):
    with client.Lock(path, "kazoo", extra_lock_patterns=["-lock-"]):
        # Fails when another client is inside.
        os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
        with open(count) as file:
            value = int(file.read())
        with open(count, "w") as file:
            file.write(str(value + 1))
        os.remove(inside)
client.stop()
client.close()
