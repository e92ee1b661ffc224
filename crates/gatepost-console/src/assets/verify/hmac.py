import base64, hashlib, hmac, os, time

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def verify(headers, body: bytes) -> None:
    """Raises ValueError unless the platform sent these bytes in the last five minutes."""
    id, sent = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        raise ValueError("too old, or from the future")
    expected = hmac.digest(SECRET, f"{id}.{sent}.".encode() + body, hashlib.sha256)
    for candidate in headers["webhook-signature"].split():
        scheme, _, signature = candidate.partition(",")
        if scheme == "v1" and hmac.compare_digest(base64.b64decode(signature), expected):
            return
    raise ValueError("no signature fits")
