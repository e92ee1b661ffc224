# pip install cryptography
import base64, os, time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY = Ed25519PublicKey.from_public_bytes(
    base64.b64decode(os.environ["WEBHOOK_PUBLIC_KEY"].removeprefix("whpk_"))
)


def verify(headers, body: bytes) -> None:
    """Raises ValueError unless the platform sent these bytes in the last five minutes."""
    id, sent = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        raise ValueError("too old, or from the future")
    for candidate in headers["webhook-signature"].split():
        scheme, _, signature = candidate.partition(",")
        if scheme != "v1a":
            continue
        try:
            KEY.verify(base64.b64decode(signature), f"{id}.{sent}.".encode() + body)
            return
        except InvalidSignature:
            pass
    raise ValueError("no signature fits")
