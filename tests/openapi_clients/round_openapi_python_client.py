"""The whole round by the client that openapi-python-client generates as the package `v4`.

    round_openapi_python_client.py BASE_URL LOGIN:PASSWORD
"""

import base64
import sys

from receiver import received, wait_for
from v4 import AuthenticatedClient
from v4.api.system import whoami
from v4.api.task_events import task_events_create, task_events_list, task_events_trigger
from v4.api.tasks import tasks_cancel, tasks_create, tasks_execute, tasks_update
from v4.api.user_api_keys import (
    user_api_keys_create,
    user_api_keys_delete,
    user_api_keys_list,
    user_api_keys_roll,
    user_api_keys_update,
)
from v4.api.webhook_urls import webhook_urls_create, webhook_urls_delete, webhook_urls_read
from v4.api.webhooks import webhooks_list
from v4.models import (
    Error,
    KeyReceipt,
    Receipt,
    Tasks,
    TasksCreate,
    TasksCreateSettingsArgsType0,
    TasksExecuteBody,
    TasksUpdate,
    TaskEventsCreate,
    TaskEventsTriggerBody,
    UserApiKeys,
    UserApiKeysCreate,
    UserApiKeysRollBody,
    UserApiKeysUpdate,
    WebhookUrls,
    WebhookUrlsCreate,
    WhoAmI,
)

base, login = sys.argv[1] + "/api/v4", sys.argv[2]
by_login = AuthenticatedClient(base, base64.b64encode(login.encode()).decode(), prefix="Basic")

made = user_api_keys_create.sync(client=by_login, body=UserApiKeysCreate(user=1, name="generated"))
assert isinstance(made, KeyReceipt), made
assert made.key and made.key == made.response.token == made.response.private_key
api = AuthenticatedClient(base, made.key)
me = whoami.sync(client=api)
assert isinstance(me, WhoAmI) and me.key == made.row, me
listed = user_api_keys_list.sync(client=api, filter_="name eq 'generated'", fields="all")
assert isinstance(listed, list) and listed[0].key == made.row and made.key not in str(listed), "shown once"
edited = user_api_keys_update.sync(made.row, client=api, body=UserApiKeysUpdate(description="by hand"))
assert isinstance(edited, UserApiKeys) and edited.description == "by hand", edited
rolled = user_api_keys_roll.sync(made.row, client=api, body=UserApiKeysRollBody(overlap=0))
assert isinstance(rolled, KeyReceipt) and rolled.key != made.key and rolled.row != made.row
assert isinstance(whoami.sync(client=api), Error), "the old one has no overlap"
api = AuthenticatedClient(base, rolled.key)

webhook = webhook_urls_create.sync(client=api, body=WebhookUrlsCreate(name="generated", url=received.url))
assert isinstance(webhook, Receipt), webhook
assert webhook.key == str(webhook.row)
read = webhook_urls_read.sync(webhook.row, client=api)
assert isinstance(read, WebhookUrls) and read.key == webhook.row and read.name == "generated", read
settings = TasksCreateSettingsArgsType0()
settings["message"] = "${NAME} ${REASON}"
task = tasks_create.sync(
    client=api, body=TasksCreate(name="tell", owner=f"webhook_urls/{webhook.row}", settings_args=settings)
)
assert isinstance(task, Receipt), task
renamed = tasks_update.sync(task.row, client=api, body=TasksUpdate(name="told"))
assert isinstance(renamed, Tasks) and renamed.name == "told", renamed
event = task_events_create.sync(
    client=api,
    body=TaskEventsCreate(task=task.row, table="vms", event="poweron", owner="vms/1", event_name="Web is on"),
)
assert isinstance(event, Receipt), event
events = task_events_list.sync(client=api, filter_=f"task eq {task.row}")
assert isinstance(events, list) and events[0].event_name == "Web is on", events

params = TasksExecuteBody()
params["REASON"] = "generated"
assert not isinstance(tasks_execute.sync(task.row, client=api, body=params), Error)
assert not isinstance(task_events_trigger.sync(event.row, client=api, body=TaskEventsTriggerBody()), Error)
wait_for(lambda: len(received.bodies) == 2)
assert sorted(received.bodies) == [" generated", "web-1 ${REASON}"], received.bodies
sent = f"webhook_url eq {webhook.row} and status eq 'sent'"


def two_are_sent() -> bool:
    log = webhooks_list.sync(client=api, filter_=sent)
    return isinstance(log, list) and len(log) == 2


wait_for(two_are_sent)
assert not isinstance(tasks_cancel.sync(task.row, client=api), Error)

refused = webhook_urls_delete.sync_detailed(webhook.row, client=api)
assert refused.status_code == 409 and isinstance(refused.parsed, Error) and "told" in refused.parsed.err, refused
gone = tasks_update.sync_detailed(99, client=api, body=TasksUpdate(name="x"))
assert gone.status_code == 404, gone
assert user_api_keys_delete.sync_detailed(rolled.row, client=api).status_code == 200
assert isinstance(whoami.sync(client=api), Error)
print("openapi-python-client: all as it should be")
