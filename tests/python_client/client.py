"""Drives every table of a running platform as existing clients do; ends with status 0 only if all of it went as it should.

    client.py BASE_URL LOGIN:PASSWORD [CAFILE]
"""

import http.server
import sys
import threading
import time

from v4 import ApiError, Client, quoted

NASTY = ["O'Brien", 'say "hi"', "back\\slash", "\\'", "a) or (name ne 'x", "50% & more #1 + 2", "Zoë 東京"]


def refused(status, call, *args, **query):
    try:
        answer = call(*args, **query)
    except ApiError as error:
        assert error.status == status and error.err, (status, str(error))
        return error.err
    raise AssertionError(f"expected {status}, got {answer}")


class Receiver(http.server.BaseHTTPRequestHandler):
    got = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        Receiver.got.append((self.path, self.headers, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def wait_for(what, condition):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}; got {Receiver.got}")


def probe(api):
    status, _, text = api.send("GET", "/version.json")
    assert status == 200 and b'"version"' in text
    (row,) = api.list("system", fields="yb_version,os_version,cloud_name")
    assert int(row["yb_version"].split(".")[0]) >= 26, row
    assert set(row) == {"yb_version", "os_version", "cloud_name"}, row


def keys(api, base, cafile):
    made = api.create("user_api_keys", {"user": "1", "name": "ci", "expires_type": "date", "expires": 4102444800,
                                        "ip_allow_list": "127.0.0.0/8,!10.0.0.1", "ip_deny_list": ""})
    secret = made["key"]
    assert made["response"] == {"private_key": secret, "token": secret}, "the secret is in three places"
    (row,) = api.list("user_api_keys", filter="name eq 'ci' and user eq 1",
                      fields="all,user#name as user_name,user#$display")
    assert row["user_name"] == "admin" and row["user#$display"] == "admin" and row["user"] == 1, row
    assert (row["expires_type"], row["expires"]) == ("date", 4102444800), row
    assert row["ip_allow_list"] == "127.0.0.0/8,!10.0.0.1" and row["lastlogin_stamp"] == 0, row
    assert secret not in str(row) and row["lastlogin_ip"] == "", row
    assert "exists" in refused(409, api.create, "user_api_keys", {"user": 1, "name": "ci"})
    refused(422, api.update, "user_api_keys", row["$key"], {"user": 2})

    by_key = Client(base, key=secret, cafile=cafile)
    probe(by_key)
    changed = by_key.update("user_api_keys", row["$key"], {"description": "nightly"})
    assert (changed["description"], changed["name"], changed["expires"]) == ("nightly", "ci", 4102444800), changed
    assert by_key.update("user_api_keys", row["$key"], changed)["name"] == "ci", "a whole row may be sent back"
    wait_for("the last login", lambda: api.read("user_api_keys", row["$key"])["lastlogin_ip"] == "127.0.0.1")
    refused(401, Client(base, key=secret[:-1], cafile=cafile).list, "system")
    by_key.delete("user_api_keys", row["$key"])
    refused(401, by_key.list, "system")
    never = api.create("user_api_keys", {"user": 1, "name": "never"})
    row = api.read("user_api_keys", never["$key"])
    assert (row["expires_type"], row["expires"]) == ("never", 0), row


def names(api):
    for name in NASTY:
        made = api.create("webhook_urls", {"name": name, "url": "https://example.com/"})
        (row,) = api.list("webhook_urls", filter=f"name eq {quoted(name)}", fields="$key,name")
        assert row == {"$key": made["$row"], "name": name}, row
        (row,) = api.list("webhook_urls", filter=f"(name ct {quoted(name)} and $key eq {made['$key']})", fields="name")
        assert row["name"] == name
        assert "exists" in refused(409, api.create, "webhook_urls", {"name": name, "url": "https://example.com/"})
    found = api.list("webhook_urls", fields="name", sort="-name", limit=3, offset=1)
    assert [row["name"] for row in found] == sorted(NASTY, reverse=True)[1:4], found
    assert len(api.list("webhook_urls", limit=0)) == len(NASTY)
    for row in api.list("webhook_urls", fields="$key"):
        api.delete("webhook_urls", row["$key"])
    assert refused(422, api.list, "webhook_urls", filter="name is 'x'") == "Invalid argument"


def webhooks(api, target):
    made = api.create("webhook_urls", {"name": "chat", "url": target + "/chat", "authorization_type": "basic",
                                       "authorization_value": "me:secret", "headers": "X-Team:ops\n", "retries": "2"})
    key = made["$key"]
    row = api.read("webhook_urls", key)
    assert row["type"] == "custom" and row["headers"] == "X-Team:ops\n" and row["retries"] == 2, row
    assert row["timeout"] == 5 and row["allow_insecure"] is False and "authorization_value" not in row, row
    refused(422, api.list, "webhook_urls", filter="authorization_value eq 'me:secret'")
    err = refused(422, api.update, "webhook_urls", key, {"timeout": 2})
    assert err == "Validation error on field: 'timeout' - 'must be 3 or greater'", err
    row = api.update("webhook_urls", key, {"timeout": 30})
    assert (row["timeout"], row["name"], row["authorization_type"]) == (30, "chat", "basic"), row

    # One action in three spellings, and the parameters where each client puts them.
    api.api("PUT", f"webhook_urls/{key}", {"params": {"message": "1"}}, action="send")
    api.api("POST", f"webhook_urls/{key}/send", {"message": "2"})
    api.api("POST", "webhook_url_actions", {"webhook_url": key, "action": "send", "message": "3"})
    api.api("POST", "webhook_url_actions", {"webhook_url": int(key), "action": "send", "params": {"message": "4"}})
    api.api("PUT", f"webhook_urls/{key}", {}, action="send")
    wait_for("five messages", lambda: len(Receiver.got) == 5)
    assert sorted(body for _, _, body in Receiver.got) == ["1", "2", "3", "4", '{"text":"Webhook"}'], Receiver.got
    for path, headers, _ in Receiver.got:
        assert path == "/chat" and headers["Authorization"] == "Basic bWU6c2VjcmV0" and headers["X-Team"] == "ops"
    sent = lambda: api.list("webhooks", filter=f"webhook_url eq {key} and status eq 'sent'", sort="-created", limit=100)
    wait_for("the log", lambda: len(sent()) == 5)
    assert not api.list("webhooks", filter="(status eq 'queued' or status eq 'running')")
    return int(key)


def tasks(api, webhook):
    task = api.create("tasks", {"name": "tell", "owner": f"webhook_urls/{webhook}", "action": "send",
                                "settings_args": '{"message": "${NAME} is on"}'})["$key"]
    event = api.create("task_events", {"task": task, "table": "vms", "event": "poweron", "owner": "vms/1",
                                    "event_name": "Web is on"})["$key"]
    refused(422, api.create, "task_events", {"task": task, "table": "vms", "event": "poweron"})
    (row,) = api.list("tasks", filter="enabled eq true", fields="most,owner#$display as owner_display,"
                      "creator#$display,count(events) as events_count,count(triggers)")
    assert row["owner_display"] == "chat" and row["creator#$display"] == "admin", row
    assert row["events_count"] == 1 and row["count(triggers)"] == 0 and len(row["id"]) == 40, row
    (row,) = api.list("task_events", filter=f"task eq {task}", fields="$key,owner,owner#$display,task#name as t,event_name")
    assert row["owner"] == "vms/1" and row["owner#$display"] == "web-1" and row["t"] == "tell", row
    assert row["event_name"] == "Web is on", row

    before = len(Receiver.got)
    api.api("POST", "vm_actions", {"vm": 1, "action": "poweron"})
    api.api("POST", "vm_actions", {"vm": 2, "action": "poweron"})
    wait_for("the event", lambda: len(Receiver.got) == before + 1)
    assert Receiver.got[-1][2] == "web-1 is on", Receiver.got[-1]
    api.api("PUT", f"tasks/{task}", {"params": {"NAME": "by hand"}}, action="execute")
    api.api("POST", f"task_events/{event}/trigger", {"context": {}})
    api.api("POST", "task_actions", {"task": task, "action": "execute"})
    wait_for("three runs", lambda: len(Receiver.got) == before + 4)
    assert "by hand is on" in [body for _, _, body in Receiver.got], Receiver.got
    refused(422, api.api, "PUT", f"tasks/{task}", {"params": {"no name": 1}}, action="execute")
    api.api("PUT", f"webhook_urls/{webhook}", {}, action="pause")
    api.api("PUT", f"tasks/{task}", {}, action="execute")
    api.api("PUT", f"tasks/{task}", {}, action="cancel")
    (row,) = api.list("webhooks", filter=f"task eq {task} and status eq 'error'", fields="status_info")
    assert row["status_info"] == "cancelled", row
    assert api.list("vms", filter="is_snapshot eq false and name eq 'web-1'", fields="name") == [{"name": "web-1"}]
    assert api.update("tasks", task, {"enabled": False})["enabled"] is False
    assert "tell" in refused(409, api.delete, "webhook_urls", webhook)
    api.delete("tasks", task)
    refused(404, api.read, "task_events", event)
    log = api.list("webhooks", filter=f"webhook_url eq {webhook}", fields="$key")
    api.delete("webhooks", log[0]["$key"])
    api.delete("webhook_urls", webhook)
    assert api.list("webhooks") == []


def dropped(api):
    """A create whose answer was lost is sent again: it is there once, and the second one says so."""
    row = {"name": "twice", "url": "https://example.com/"}
    there = lambda name: api.list("webhook_urls", filter=f"name eq '{name}'", fields="$key")
    stream = api.unanswered("POST", "webhook_urls", row)
    wait_for("the create without an answer", lambda: there("twice"))
    stream.close()
    assert "exists" in refused(409, api.create, "webhook_urls", row)
    assert len(there("twice")) == 1
    # Gone at once, and gone in the middle: it may have been carried out or not, but never by half and never twice.
    for name, cut in (("gone", None), ("half", 20)):
        row = {"name": name, "url": "https://example.com/"}
        api.unanswered("POST", "webhook_urls", row, cut).close()
        try:
            api.create("webhook_urls", row)
        except ApiError as error:
            assert error.status == 409 and cut is None, error
        assert len(there(name)) == 1
    for row in api.list("webhook_urls", fields="$key"):
        api.delete("webhook_urls", row["$key"])


def main():
    base, login = sys.argv[1:3]
    cafile = sys.argv[3] if len(sys.argv) > 3 else None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    api = Client(base, login=login, cafile=cafile)
    probe(api)
    refused(401, Client(base, login="admin:wrong", cafile=cafile).list, "system")
    refused(404, api.list, "nosuch")
    keys(api, base, cafile)
    names(api)
    tasks(api, webhooks(api, f"http://127.0.0.1:{server.server_port}"))
    dropped(api)
    assert [row["name"] for row in api.list("users", fields="name", sort="+name", limit=2)] == ["admin", "tina"]
    assert api.list("vms", filter="tags ct '2'", fields="name") == [{"name": "db-1"}]
    print("all as it should be")


main()
