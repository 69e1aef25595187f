#!/usr/bin/env python3
"""Measures `setsight serve` under a class of phones on this machine.

    tools/phone/crowd.py PROGRAM [--phones 30] [--minutes 10] [--slow 1] [--live 0] PHOTO...

Each phone sends a photo, waits for its answer, and pauses for 5 to 15 s. `full` is answered by another try a second
later, as a person would press *Try again*. A slow phone sends 20 kB a second and takes its answer byte by byte; a live
one sends the photo as the next live picture as soon as the last one is answered. Prints the waiting times
and the memory of the program as a table in Markdown. Needs Linux.
"""

import argparse
import http.client
import random
import re
import statistics
import subprocess
import threading
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("photos", nargs="+")
parser.add_argument("--phones", type=int, default=30)
parser.add_argument("--minutes", type=float, default=10)
parser.add_argument("--slow", type=int, default=1)
parser.add_argument("--live", type=int, default=0)
call = parser.parse_args()
photos = [open(photo, "rb").read() for photo in call.photos]

server = subprocess.Popen(
    [call.program, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
)
for line in server.stdout:
    if found := re.search(r"http://(\S+)/#(\w+)", line):
        host, key = found.groups()
        break
else:
    raise SystemExit("crowd: the server has ended")
threading.Thread(target=server.stdout.read, daemon=True).start()

end = time.monotonic() + 60 * call.minutes
lock = threading.Lock()
waits = {"photo": [], "slow": [], "live": []}
refused, failed = [0], []


def post(path, name, body, slow=False):
    """The status of a request, and what was answered."""
    connection = http.client.HTTPConnection(host, timeout=320)
    connection.putrequest("POST", path)
    for header, value in {"X-Setsight-Key": key, "X-Setsight-Phone": name, "Content-Length": len(body)}.items():
        connection.putheader(header, value)
    connection.endheaders()
    step = 2000 if slow else len(body)
    try:
        for begin in range(0, len(body), step):
            connection.send(body[begin : begin + step])
            if slow:
                time.sleep(0.1)
    except BrokenPipeError:
        pass  # `full` is answered before all has come.
    response = connection.getresponse()
    answer = b""
    while part := response.read(20 if slow else None):
        answer += part
        if slow:
            time.sleep(0.02)
    connection.close()
    return response.status, answer


def phone(number, kind):
    chance = random.Random(number)
    time.sleep(chance.uniform(0, 10))
    while time.monotonic() < end:
        body, begun = chance.choice(photos), time.monotonic()
        path = "/live" if kind == "live" else "/photo"
        try:
            while (reply := post(path, f"{number:016x}", body, kind == "slow"))[0] == 503:
                with lock:
                    refused[0] += 1
                time.sleep(1)
            right = reply[0] == 200 and b'"cards"' in reply[1]
        except OSError as error:
            right, reply = False, error
        with lock:
            waits[kind].append(time.monotonic() - begun)
            if not right:
                failed.append(reply)
        if kind != "live":
            time.sleep(chance.uniform(5, 15))


kinds = ["slow"] * call.slow + ["live"] * call.live
kinds += ["photo"] * (call.phones - len(kinds))
threads = [threading.Thread(target=phone, args=place) for place in enumerate(kinds)]
for thread in threads:
    thread.start()
begun, memory = time.monotonic(), []
while any(thread.is_alive() for thread in threads):
    status = open(f"/proc/{server.pid}/status").read()
    memory.append([int(re.search(rf"{field}:\s+(\d+)", status)[1]) for field in ["VmRSS", "Threads"]])
    time.sleep(1)
server.terminate()
server.wait()

print("| what | measured |\n|---|---|")
for kind, times in waits.items():
    if times:
        times.sort()
        at = [times[int(part * (len(times) - 1))] for part in (0.5, 0.95, 1)]
        print(f"| {kind}: {len(times)} answers; median, 95 %, longest | {', '.join(f'{t:.2f}' for t in at)} s |")
print(f"| answered `full` | {refused[0]} |\n| failed | {len(failed)} {failed[:2] or ''} |")
marks = [*range(30, len(memory), max(60, len(memory) // 6)), len(memory) - 1]
print(f"| MB after {', '.join(map(str, marks))} s | {', '.join(str(memory[mark][0] // 1024) for mark in marks)} |")
print(f"| threads: median, most | {statistics.median(m[1] for m in memory):.0f}, {max(m[1] for m in memory)} |")
