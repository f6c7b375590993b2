"""A receiver of recording callbacks in Python's standard library, as a developer would write one.

It prints {"port": N} and then one JSON line per request: the fields, whether the signature is right, and what was wrong with the
request otherwise. It answers the statuses given as arguments in turn, and 200 after the last.
"""

import hashlib
import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sign_key = sys.stdin.readline().rstrip("\n")
statuses = [int(argument) for argument in sys.argv[1:]]


def say(line):
    print(json.dumps(line), flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("Content-Length")
        body = self.rfile.read(int(length or 0))
        fields = json.loads(body.decode("utf-8"))
        content = "&".join(f"{key}={fields[key]}" for key in sorted(fields))
        expected = hashlib.md5((content + sign_key).encode("utf-8")).hexdigest()
        say(
            {
                "path": self.path,
                "fields": fields,
                "verified": hmac.compare_digest(expected, self.headers.get("sign", "")),
                "allText": all(isinstance(value, str) for value in fields.values()),
                "length": length,
                "chunked": "Transfer-Encoding" in self.headers,
                "type": self.headers.get("Content-Type"),
            }
        )
        status = statuses.pop(0) if statuses else 200
        self.send_response(status)
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
