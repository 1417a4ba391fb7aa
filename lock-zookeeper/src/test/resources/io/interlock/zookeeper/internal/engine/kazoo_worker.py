"""Takes locks of Kazoo as its standard input says.

Arguments: connect string, session timeout in seconds.
Commands, one a line: 'acquire <recipe> <path> <patterns>' waits for the lock and answers
'held'; 'try' with the same arguments answers 'held' or 'refused'; 'release' answers
'released'. Ends with its input.
"""
import os
import queue
import sys
import threading

from kazoo.client import KazooClient

connect_string, timeout = sys.argv[1:]
client = KazooClient(hosts=connect_string, timeout=float(timeout))
commands = queue.Queue()


def work():
    client.start()
    lock = None
    while True:
        command, *arguments = commands.get()
        if command == "release":
            lock.release()
            answer("released")
        else:
            recipe, path, *patterns = arguments
            lock = getattr(client, recipe)(path, "kazoo", extra_lock_patterns=patterns)
            held = lock.acquire(blocking=(command == "acquire"))
            answer("held" if held else "refused")


def answer(text):
    print(text, flush=True)


threading.Thread(target=work, daemon=True).start()
for line in sys.stdin:
    commands.put(line.split())
os._exit(0)
