"""Has `setsight serve` answer with its page and with what it reads on a photo: python3 serve.py ADDRESS PHOTO.
Prints the codes of the cards, sorted."""

import json
import re
import sys
import urllib.request

address, photo = sys.argv[1:]
home, key = address.split("/#")
if "<title>" not in urllib.request.urlopen(home + "/", timeout=20).read().decode():
    sys.exit("no page is served")
headers = {"X-Setsight-Key": key, "X-Setsight-Phone": "0123456789abcdef", "Origin": home}
asked = urllib.request.Request(home + "/photo", open(photo, "rb").read(), headers)
answer = urllib.request.urlopen(asked, timeout=120).read().decode()
print(" ".join(sorted(re.findall(r'"code":\s*"([^"]+)"', json.dumps(json.loads(answer))))))
