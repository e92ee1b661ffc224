// The whole round by the client that @hey-api/openapi-ts generates into the folder `v4`.
//
//     node round.js BASE_URL LOGIN:PASSWORD

import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createClient } from './v4/client';
import * as v4 from './v4';

const [base, login] = process.argv.slice(2);
const received: string[] = [];

function withKey(key: string) {
  return createClient({ baseUrl: `${base}/api/v4`, headers: { Authorization: `Bearer ${key}` } });
}

// Until it holds; a minute at most.
async function waitFor(condition: () => boolean | Promise<boolean>) {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (await condition()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`waited in vain; received ${received}`);
}

async function round(url: string) {
  const basic = Buffer.from(login).toString('base64');
  const byLogin = createClient({ baseUrl: `${base}/api/v4`, headers: { Authorization: `Basic ${basic}` } });
  const { data: made } = await v4.userApiKeysCreate({ client: byLogin, body: { user: 1, name: 'generated' } });
  assert(made && made.key && made.key === made.response.token, 'shown once');
  let client = withKey(made.key);
  const me = await v4.whoami({ client });
  assert.equal(me.data?.key, made.$row);
  const keys = await v4.userApiKeysList({ client, query: { filter: "name eq 'generated'", fields: 'all' } });
  assert.equal(keys.data?.[0].$key, made.$row);
  assert(!JSON.stringify(keys.data).includes(made.key));
  const rolled = await v4.userApiKeysRoll({ client, path: { key: made.$row }, body: { overlap: 0 } });
  assert(rolled.data && rolled.data.key !== made.key);
  assert.equal((await v4.whoami({ client })).response?.status, 401);
  client = withKey(rolled.data.key);

  const hook = await v4.webhookUrlsCreate({ client, body: { name: 'generated', url } });
  assert(hook.data && hook.data.$key === String(hook.data.$row));
  const owner = `webhook_urls/${hook.data.$row}`;
  const settings = { message: '${NAME} ${REASON}' };
  const task = await v4.tasksCreate({ client, body: { name: 'tell', owner, settings_args: settings } });
  assert(task.data);
  const told = await v4.tasksUpdate({ client, path: { key: task.data.$row }, body: { name: 'told' } });
  assert.equal(told.data?.name, 'told');
  const label = 'Web is on';
  const body = { task: task.data.$row, table: 'vms', event: 'poweron', owner: 'vms/1', event_name: label };
  const event = await v4.taskEventsCreate({ client, body });
  assert(event.data);
  const events = await v4.taskEventsList({ client, query: { filter: `task eq ${task.data.$row}` } });
  assert.equal(events.data?.[0].event_name, label);

  await v4.tasksExecute({ client, path: { key: task.data.$row }, body: { REASON: 'generated' } });
  await v4.taskEventsTrigger({ client, path: { key: event.data.$row } });
  await waitFor(() => received.length === 2);
  assert.deepEqual(received.sort(), [' generated', 'web-1 ${REASON}']);
  const sent = `webhook_url eq ${hook.data.$row} and status eq 'sent'`;
  await waitFor(async () => (await v4.webhooksList({ client, query: { filter: sent } })).data?.length === 2);
  await v4.tasksCancel({ client, path: { key: task.data.$row } });
  const refused = await v4.webhookUrlsDelete({ client, path: { key: hook.data.$row } });
  assert.equal(refused.response?.status, 409);
  assert(refused.error?.err.includes('told'));
  await v4.userApiKeysDelete({ client, path: { key: rolled.data.$row } });
  assert.equal((await v4.whoami({ client })).response?.status, 401);
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    received.push(body);
    response.end();
  });
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo;
  await round(`http://127.0.0.1:${port}/`);
  console.log('@hey-api/openapi-ts: all as it should be');
  process.exit();
});
