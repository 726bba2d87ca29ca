import assert from 'node:assert/strict';
import test from 'node:test';
import { OpenRequests } from '#mcp/transport/open-requests.ts';

const request = { jsonrpc: '2.0', id: 1, method: 'tools/call' } as const;

test('the response of an SDK ends no request that uses its id and is answered here', async (t) => {
  // The time for open requests never passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const requests = new OpenRequests(() => undefined);
  const ofSdk = requests.open(request, undefined, true);
  const ours = requests.open(request, undefined, false);
  assert.deepEqual([ofSdk.isCancelled, ours.isCancelled], [true, false]);
  requests.endOfSdk(1);
  const order: string[] = [];
  const drained = requests.drained(1).then(() => order.push('drained'));
  await Promise.resolve();
  order.push('settled');
  requests.end(ours);
  await drained;
  assert.deepEqual(order, ['settled', 'drained']);
});

test('a cancelled request is the newest with its id, and an earlier write goes on', () => {
  const requests = new OpenRequests(() => undefined);
  const [earlier, newest] = [
    requests.open(request, undefined, false),
    requests.open(request, undefined, false),
  ];
  requests.cancel(1);
  requests.cancel(1);
  requests.cancel(2);
  assert.deepEqual([earlier.isCancelled, newest.isCancelled], [false, true]);
});
