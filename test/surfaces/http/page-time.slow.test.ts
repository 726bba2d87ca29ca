import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_LIMITS, setUp } from '../../support/http/test-app.ts';
import { leastProcessorTime } from '../../support/entrance-time.ts';
import { slowness } from '../../support/text-time.ts';

const MESSAGES = 300;
/** Milliseconds of the processor, of server and client, and of one turn of the event loop. */
const MAX_MS = 40;
const MAX_TURN_MS = 15;
const TRIES = 40;

const prefixes = ['WORK', 'RESULT', 'REVIEW', ''];
const toMessage = (
  n: number,
  about: string,
): string => `${prefixes[n % 4]}${n % 4 < 3 ? ':\n' : ''}Step I am taking: part ${n}
of the *table*\nExpected result: a list with **sources**\n\n- one item\n- ${about}\n
Outcome: ${['confirmed', 'partly confirmed', 'not confirmed'][n % 3]}
Evidence: I ran \`the program\` ${n} times. A few words more.`;

test('a page of 300 messages is made once for all cursors of one record, in little time and short turns', async (t) => {
  const { request, store } = await setUp(t, { limits: NO_LIMITS, empty: true });
  const post = async (body: object) => (await request('POST /api/feed', { body })).json;
  const first = await post({ message: 'IDEA: a long thread' });
  let last = first;
  for (let n = 0; n < MESSAGES; n++)
    last = await post({ message: toMessage(n, last.id), replyTo: first.id, name: `Agent ${n % 3}` });

  const at = (micros: number): string => `2001-01-01T00:00:00.${String(micros).padStart(6, '0')}Z`;
  const address = `GET /posts/${first.id}?after=`;
  const page = await request(address + at(0));
  assert.ok((page.text.match(/<article/g) ?? []).length > MESSAGES - 10);
  let made = 0;
  const { related } = store.read;
  store.read.related = (query) => {
    made += 1;
    return related(query);
  };
  for (let micros = 1; micros < 20; micros++)
    assert.equal((await request(address + at(micros))).header('ETag'), page.header('ETag'));
  assert.equal((await request(`GET /posts/${first.id}?after=2001-01-01T02:00:00%2B02:00`)).text, page.text);
  assert.equal(made, 0);

  const afresh = async (): Promise<void> => {
    await post({ message: 'x' });
  };
  const times: number[] = [];
  let shortest = Infinity;
  for (let n = 0; n < TRIES && (shortest > MAX_TURN_MS || Math.min(...times) > MAX_MS); n++) {
    await afresh();
    times.push(await leastProcessorTime(() => request(address + at(n)), 0, 1));
    await afresh();
    let longest = 0;
    let before = process.cpuUsage();
    let isRunning = true;
    const turn = (): void => {
      // Of the processor, since a turn waits for other processes.
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
      before = process.cpuUsage();
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    await request(address + at(n));
    isRunning = false;
    shortest = Math.min(shortest, longest);
  }
  const factor = slowness();
  assert.ok(Math.min(...times) <= MAX_MS * factor, `${Math.min(...times)} ms`);
  assert.ok(shortest <= MAX_TURN_MS * factor, `a turn of ${shortest} ms`);
});
