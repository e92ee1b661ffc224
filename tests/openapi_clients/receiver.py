"""A receiver of webhooks on a free port of this machine."""

import http.server
import threading
import time
from typing import Callable


class Received(http.server.BaseHTTPRequestHandler):
    bodies: list[str] = []
    url = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Received.bodies.append(body.decode())
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Received)
Received.url = f"http://127.0.0.1:{server.server_port}/"
threading.Thread(target=server.serve_forever, daemon=True).start()
received = Received


def wait_for(condition: Callable[[], bool]) -> None:
    """Until it holds; a minute at most."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited in vain; received {Received.bodies}")
