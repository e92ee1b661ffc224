"""The whole round by the client that openapi-generator makes of the document for Python, as the package `v4`.

    round_openapi_generator.py BASE_URL LOGIN:PASSWORD
"""

import sys
from typing import Any, Callable

import v4
from receiver import received, wait_for
from v4.exceptions import ApiException

base, (user, password) = sys.argv[1] + "/api/v4", sys.argv[2].split(":")


def refused(status: int, call: Callable[..., Any], *args: Any) -> str:
    try:
        call(*args)
    except ApiException as error:
        assert error.status == status, error
        return str(error.body)
    raise AssertionError(f"{call} was not refused")


def with_key(key: str) -> v4.ApiClient:
    return v4.ApiClient(v4.Configuration(host=base, access_token=key))


by_login = v4.ApiClient(v4.Configuration(host=base, username=user, password=password))
new = v4.UserApiKeysCreate.from_dict({"user": 1, "name": "generated"})
made = v4.UserApiKeysApi(by_login).user_api_keys_create(new)
assert made.key and made.key == made.response.token == made.response.private_key, "shown once"
api = with_key(made.key)
keys = v4.UserApiKeysApi(api)
assert v4.SystemApi(api).whoami().key == made.row
(row,) = keys.user_api_keys_list(filter="name eq 'generated'", fields="all")
assert row.key == made.row and made.key not in str(row.to_dict()), row
rolled = keys.user_api_keys_roll(made.row, v4.UserApiKeysRollRequest(overlap=0))
assert rolled.key != made.key and rolled.row != made.row
refused(401, v4.SystemApi(api).whoami)
api = with_key(rolled.key)

webhooks, tasks, events = v4.WebhookUrlsApi(api), v4.TasksApi(api), v4.TaskEventsApi(api)
hook = webhooks.webhook_urls_create(v4.WebhookUrlsCreate.from_dict({"name": "generated", "url": received.url}))
assert hook.key == str(hook.row)
assert webhooks.webhook_urls_read(hook.row).name == "generated"
new = {"name": "tell", "owner": f"webhook_urls/{hook.row}", "settings_args": {"message": "${NAME} ${REASON}"}}
task = tasks.tasks_create(v4.TasksCreate.from_dict(new))
assert tasks.tasks_update(task.row, tasks_update_request=v4.TasksUpdateRequest(v4.TasksUpdate(name="told"))).name == "told"
new = {"task": task.row, "table": "vms", "event": "poweron", "owner": "vms/1", "event_name": "Web is on"}
event = events.task_events_create(v4.TaskEventsCreate.from_dict(new))
(row,) = events.task_events_list(filter=f"task eq {task.row}")
assert row.event_name == "Web is on", row

tasks.tasks_execute(task.row, {"REASON": "generated"})
events.task_events_trigger(event.row)
wait_for(lambda: len(received.bodies) == 2)
assert sorted(received.bodies) == [" generated", "web-1 ${REASON}"], received.bodies
log = v4.WebhooksApi(api)
wait_for(lambda: len(log.webhooks_list(filter=f"webhook_url eq {hook.row} and status eq 'sent'")) == 2)
tasks.tasks_cancel(task.row)
assert "told" in refused(409, webhooks.webhook_urls_delete, hook.row)
refused(404, tasks.tasks_read, 99)
v4.UserApiKeysApi(api).user_api_keys_delete(rolled.row)
refused(401, v4.SystemApi(api).whoami)
print("openapi-generator: all as it should be")
