import assert from 'node:assert/strict';
import { basename } from 'node:path';
import test from 'node:test';
import { decodeLine, type SegmentHeader } from '#store/jsonl/log/line.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { writeOutcome } from '../../../../support/store/write-outcome.ts';
import {
  Machine,
  post,
  postInNewSegment,
  postWithUnknownOutcome,
  settle,
  visibleTexts,
} from '../../../../support/store/machine.ts';
import { erase, hide, idempotentHit } from '../../../../support/store/writes.ts';

const FIRST = 'log-000001.jsonl';
const SECOND = 'log-000002.jsonl';

function headerOf(machine: Machine, name: string): SegmentHeader {
  const [line = ''] = machine.files()[name]!.split('\n');
  return (decodeLine(Buffer.from(line), 0) as unknown as { log: SegmentHeader }).log;
}

const temporaries = (machine: Machine): string[] =>
  Object.keys(machine.files()).filter((name) => name.startsWith('.tmp-'));

test('a failed sync is invisible to the caller: the process begins a segment with a copy, and syncs the old one never again', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, '1');
  a.disk.failNext('sync', 'EIO', /^log/);
  const before = a.disk.calls.length;
  await post(a, '2');
  await post(a, '3');
  const calls = a.disk.calls.slice(before);
  assert.equal(calls.filter((call) => call === `sync ${FIRST}`).length, 1);
  assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  assert.deepEqual(await a.store.health(), { writable: true, reason: null, notifying: true });
  assert.deepEqual(a.reports, [
    'goes on in log-000002.jsonl, since the last lines before it were not known to be synced',
  ]);
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['1', '2', '3']);
});

test('a segment drops displaced lines and copies all others that may not be synced, with limits and hidden state', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const trace = anOrigin('v', { key: 'key-00001' });
  const {
    record: { id },
  } = await post(a, '1', trace);
  await post(b, '2', anOrigin('v'));
  await hide(a.store, id, 'why');
  a.disk.interpose('append', () => post(b, '3'), /^log/);
  await post(a, '4');
  await postInNewSegment(a);
  const [before, after] = [FIRST, SECOND].map((name) => machine.files()[name]!);
  assert.deepEqual([before!.split('"4"').length, after!.split('"4"').length], [3, 2]);
  for (const reader of [a, b, await machine.start()]) {
    assert.deepEqual(await visibleTexts(reader), ['2', '3', '4', 'in a new segment']);
    assert.equal((await reader.store.read.recentWriteAges('v', 'feed', 1000, 9)).length, 2);
    assert.equal((await idempotentHit(reader.store, 'post', trace, 1000))?.id, id);
    assert.equal(await hide(reader.store, id, 'again'), false);
  }
});

test('a segment begins with the page of the first line that may not be synced, not with the whole log', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const texts = Array.from({ length: 60 }, (_, number) => `${number}${'\u{1F3E1}'.repeat(20_000)}`);
  await Promise.all(texts.map((text) => post(a, text)));
  await postInNewSegment(a);
  const { from, upto } = headerOf(machine, SECOND);
  assert.deepEqual([from, upto], [60, 61]);
  for (const reader of [a, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), [...texts, 'in a new segment']);
});

test('a segment with many megabytes of lines that may not be synced is copied completely', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const texts = Array.from({ length: 60 }, (_, number) => `${number}${'\u{1F3E1}'.repeat(20_000)}`);
  a.disk.failNext('sync', 'EIO', /^log/);
  await Promise.all(texts.map((text) => post(a, text)));
  const { from, upto } = headerOf(machine, SECOND);
  assert.ok(from === 1 && upto > 20);
  assert.deepEqual(await visibleTexts(await machine.start()), texts);
});

test('a seal that lost the race is appended again after the winner, whose lines are copied', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithUnknownOutcome(a);
  for (const text of ['1', '2']) a.disk.interpose('append', () => post(b, text), new RegExp(FIRST));
  await post(a, '3');
  assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  assert.deepEqual(temporaries(machine), []);
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['unknown', '1', '2', '3']);
});

test('a seal with unknown outcome leads no process to a removed file', async (t) => {
  for (const isDisplaced of [false, true]) {
    const machine = new Machine(t);
    const [a, b] = [await machine.start(), await machine.start()];
    await postWithUnknownOutcome(a);
    await visibleTexts(b);
    if (isDisplaced) a.disk.interpose('append', () => post(b, 'b'), new RegExp(FIRST));
    a.disk.failAfter('append', 'EIO', new RegExp(FIRST));
    await post(a, '1');
    await post(a, '2');
    const texts = ['unknown', ...(isDisplaced ? ['b'] : []), '1', '2'];
    for (const reader of [a, b, await machine.start()]) assert.deepEqual(await visibleTexts(reader), texts);
    assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  }
});

test('a line appended behind a seal by a process that had not read it is displaced, and stored in the next segment', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const behind = b.disk.stopBefore('append', new RegExp(FIRST));
  const displaced = post(b, 'by b');
  await behind.arrived;
  a.disk.failNext('sync', 'EIO', /^log/);
  await post(a, 'by a');
  behind.release();
  await displaced;
  assert.match(machine.files()[FIRST]!, /"seal".*"by b"/s);
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['by a', 'by b']);
});

test('if two processes begin a segment at the same time one wins, and the other goes on in it', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithUnknownOutcome(a, '1');
  await visibleTexts(b);
  await postWithUnknownOutcome(b, '2');
  const stopped = a.disk.stopBefore('append', new RegExp(FIRST));
  const writing = post(a, 'by a');
  await stopped.arrived;
  await settle(b);
  stopped.release();
  await writing;
  await post(b, 'by b');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['1', '2', 'by a', 'by b']);
  assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  assert.deepEqual(temporaries(machine), []);
});

test('the copy and its name are durable before the old segment gets its seal', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await postWithUnknownOutcome(a);
  let isSealed = false;
  a.disk.interpose(
    'append',
    () => {
      const [name = ''] = temporaries(machine);
      assert.equal(machine.durable.get(name), machine.files()[name]!.length);
      assert.deepEqual(a.disk.calls.slice(-3, -1), [
        `sync ${name}`,
        `syncFolder ${basename(machine.folder)}`,
      ]);
      isSealed = true;
    },
    new RegExp(FIRST),
  );
  await post(a, 'x');
  assert.ok(isSealed);
});

test('whoever begins a segment removes the copies that killed processes left', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  a.disk.failNext('sync', 'EIO', /^log/);
  // The line itself, then the seal.
  a.disk.interpose('append', () => undefined, new RegExp(FIRST));
  a.disk.interpose(
    'append',
    () => {
      a.disk.kill();
    },
    new RegExp(FIRST),
  );
  assert.equal(await writeOutcome(post(a, 'never acknowledged')), 'unknown');
  assert.equal(temporaries(machine).length, 1);
  await postInNewSegment(b);
  assert.deepEqual(temporaries(machine), []);
  assert.deepEqual(await visibleTexts(await machine.start()), ['never acknowledged', 'in a new segment']);
});

test('an erased line is copied without its text', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const { record } = await post(a, 'a very private sentence');
  await erase(a.store, record.id);
  await visibleTexts(b);
  await postInNewSegment(b);
  assert.equal(headerOf(machine, SECOND).from, 1);
  assert.ok(!JSON.stringify(machine.files()).includes('very private'));
  assert.deepEqual(await visibleTexts(await machine.start()), ['in a new segment']);
});

test('the first write of an opener begins a segment only if no proof line follows the last write', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, '1');
  const [b, c] = [await machine.start(), await machine.start()];
  await a.store.close();
  await post(b, '2');
  assert.deepEqual(machine.segments(), [FIRST]);
  b.disk.kill();
  assert.deepEqual(await visibleTexts(c), ['1', '2']);
  const d = await machine.start();
  await settle(d);
  assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  assert.deepEqual([headerOf(machine, SECOND).from, headerOf(machine, SECOND).upto], [1, 2]);
  for (const reader of [c, d]) assert.deepEqual(await visibleTexts(reader), ['1', '2']);
});

test('an opener waits two seconds for a proof line, and no longer than until it comes', async (t) => {
  for (const comes of [undefined, 0, 500, 1950]) {
    const machine = new Machine(t);
    const a = await machine.start();
    await post(a, '1');
    const pauses: number[] = [];
    const waited = (): number => pauses.reduce((sum, ms) => sum + ms, 0);
    const b = await machine.start(undefined, async (ms) => {
      if (waited() === comes) await a.store.close();
      pauses.push(ms);
    });
    await post(b, '2');
    assert.equal(waited(), comes === undefined ? 2000 : comes + 50);
    assert.equal(machine.segments().length, comes === undefined ? 2 : 1);
    assert.deepEqual(await visibleTexts(await machine.start()), ['1', '2']);
  }
});
