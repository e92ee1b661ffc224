"""A small client of the v4 API, of the kind that integrators write: the standard library and nothing else."""

import base64
import http.client
import json
import socket
import ssl
import time
import urllib.parse

RETRIED = (429, 500, 502, 503, 504)


class ApiError(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        self.err = body.get("err") if isinstance(body, dict) else None


def quoted(text):
    """A string of the filter language."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Client:
    def __init__(self, base, login=None, key=None, cafile=None):
        url = urllib.parse.urlsplit(base)
        self.host, self.port, self.tls = url.hostname, url.port, url.scheme == "https"
        self.context = ssl.create_default_context(cafile=cafile) if self.tls else None
        if key:
            self.authorization = "Bearer " + key
        else:
            self.authorization = "Basic " + base64.b64encode(login.encode()).decode()
        self.connection = None

    # -- the wire ---------------------------------------------------------------------------------------------
    def connect(self):
        if self.tls:
            return http.client.HTTPSConnection(self.host, self.port, timeout=20, context=self.context)
        return http.client.HTTPConnection(self.host, self.port, timeout=20)

    def send(self, method, path, body=None, headers=None):
        """One request over a connection that is kept alive: status, headers, body."""
        head = {"Authorization": self.authorization, "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            head["Content-Type"] = "application/json"
        head.update(headers or {})
        for attempt in range(4):
            fresh = self.connection is None
            self.connection = self.connection or self.connect()
            try:
                self.connection.request(method, path, body=data, headers=head)
                answer = self.connection.getresponse()
                text = answer.read()
            except (http.client.HTTPException, OSError):
                # A connection that was kept alive may have been closed since.
                self.connection.close()
                self.connection = None
                if fresh:
                    raise
                continue
            if answer.status in RETRIED and attempt < 3:
                time.sleep(0.2 * 2**attempt)
                continue
            return answer.status, answer.headers, text
        raise ApiError(0, {"err": "gave up"})

    def api(self, method, path, body=None, **query):
        path = "/api/v4/" + path
        if query:
            path += "?" + urllib.parse.urlencode(query)
        status, headers, text = self.send(method, path, body)
        if status < 400 and not text:
            return None
        assert headers["Content-Type"].startswith("application/json"), (path, headers["Content-Type"])
        value = json.loads(text)
        if status >= 400:
            raise ApiError(status, value)
        return value

    # -- what scripts say ---------------------------------------------------------------------------------------
    def list(self, table, **query):
        rows = self.api("GET", table, **query)
        assert isinstance(rows, list), rows
        return rows

    def read(self, table, key, **query):
        return self.api("GET", f"{table}/{key}", **query)

    def create(self, table, row):
        receipt = self.api("POST", table, row)
        key = int(receipt["$key"])
        assert isinstance(receipt["$key"], str) and receipt["$row"] == key, receipt
        assert receipt["location"] == f"/v4/{table}/{key}" and receipt["dbpath"] == f"{table}/{key}", receipt
        return receipt

    def update(self, table, key, changes):
        return self.api("PUT", f"{table}/{key}", changes)

    def delete(self, table, key):
        assert self.api("DELETE", f"{table}/{key}") is None

    # -- and what goes wrong --------------------------------------------------------------------------------------
    def unanswered(self, method, path, body, cut=None):
        """Sends a request, or its head and `cut` bytes of its body, and does not read the answer: the open connection."""
        data = json.dumps(body).encode()
        head = (
            f"{method} /api/v4/{path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: {self.authorization}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        stream = socket.create_connection((self.host, self.port), timeout=20)
        if self.tls:
            stream = self.context.wrap_socket(stream, server_hostname=self.host)
        stream.sendall(head.encode() + (data if cut is None else data[:cut]))
        return stream
