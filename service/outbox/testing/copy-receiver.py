"""A receiver of message copies in Python's standard library, as a developer would write one.

It takes the AppSecret from its input, and prints {"port": N} and then one JSON line per request: the fields, whether MD5 and CheckSum
are right, and what the headers were. It answers the statuses given as arguments in turn, and 200 after the last.
"""

import hashlib
import hmac
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

app_secret = sys.stdin.readline().rstrip("\n")
said = threading.Lock()
statuses = [int(argument) for argument in sys.argv[1:]]


def say(line):
    # Requests are answered in threads: a line and its end must not be torn apart.
    with said:
        print(json.dumps(line), flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("Content-Length")
        body = self.rfile.read(int(length or 0))
        md5 = hashlib.md5(body).hexdigest()
        expected = hashlib.sha1((app_secret + md5 + self.headers.get("CurTime", "")).encode("utf-8")).hexdigest()
        verified = self.headers.get("MD5") == md5 and hmac.compare_digest(expected, self.headers.get("CheckSum", ""))
        fields = json.loads(body.decode("utf-8"))
        say(
            {
                "path": self.path,
                "fields": fields,
                "verified": verified and self.headers.get("CurTime", "").isdigit() and bool(self.headers.get("AppKey")),
                "allText": all(isinstance(value, str) for value in fields.values()),
                "length": length,
                "chunked": "Transfer-Encoding" in self.headers,
                "type": self.headers.get("Content-Type"),
            }
        )
        self.send_response(statuses.pop(0) if statuses else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def handle(self):
        try:
            super().handle()
        except ConnectionResetError:
            pass  # Tests kill the service, whose kept connections then end like this.

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
say({"port": server.server_address[1]})
server.serve_forever()
