import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { repairFolder } from '#store/folder/failed-sync.ts';
import type { Change } from '#store/port/store.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { systemError } from '../../../support/store/plans.ts';
import { aPost, aReply } from '../../../support/store/records.ts';
import { post, visibleTexts, startOne, startTwo, type Machine } from '../../../support/store/machine.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { addRecord, erase } from '../../../support/store/writes.ts';

const DAY_MS = 86_400_000;

const holdsSecret = (machine: Machine): boolean => JSON.stringify(machine.files()).includes('secret');

test('an erase that dies at any of its calls is either not stored, or finished by the next process that opens', async (t) => {
  const outcomes = { open: 0, finished: 0 };
  for (let number = 1; ; number++) {
    const [machine, a] = await startOne(t);
    const { record } = await post(a, 'some secret text');
    await post(a, 'another');
    a.disk.killBefore(number);
    const outcome = await writeOutcome(erase(a.store, record.id));
    machine.kill(a);
    const b = await machine.start();
    const isErased = (await visibleTexts(b)).length === 1;
    assert.ok(isErased || outcome !== 'stored');
    await b.store.close();
    assert.equal(holdsSecret(machine), !isErased, `killed before call ${number}`);
    const c = await machine.start();
    await erase(c.store, record.id);
    await post(c, 'a third');
    assert.deepEqual(await visibleTexts(c), ['another', 'a third']);
    assert.equal(holdsSecret(machine), false, `killed before call ${number}`);
    outcomes[isErased ? 'finished' : 'open'] += 1;
    await machine.stop();
    if (outcome === 'stored') break;
  }
  assert.ok(outcomes.open > 3 && outcomes.finished > 3, JSON.stringify(outcomes));
});

test('an erase beside which another process appends removes dead copies of the text too', async (t) => {
  const [machine, a] = await startOne(t);
  const { record } = await post(a, 'some secret text');
  // Such as a displaced line of the same post, which a failing disk left.
  appendFileSync(machine.path('log.jsonl'), 'some secret text\n');
  assert.deepEqual(await visibleTexts(a), ['some secret text']);
  // Between the last look at the log and the append, while the key of a new day is made.
  machine.clock.advance(DAY_MS);
  a.disk.interpose(
    'link',
    () => {
      appendFileSync(machine.path('log.jsonl'), '#\n');
    },
    /^2026/,
  );
  assert.equal(await erase(a.store, record.id), true);
  assert.equal(holdsSecret(machine), false);
});

test('a process that reads a post after its erase is told of the replies, but not of what the post replied to', async (t) => {
  const [, a, b] = await startTwo(t);
  const root = aPost('the root');
  const top = { ...aReply(root.id, 'a reply'), rootId: root.id };
  const gone = { ...aReply(top.id, 'some secret text'), rootId: root.id };
  const reply = { ...aReply(gone.id, 'a reply to it'), rootId: root.id };
  for (const record of [root, top, gone, reply]) await addRecord(a.store, 'post', record);
  await erase(a.store, gone.id);
  const changes: Change[] = [];
  b.store.watch((change) => changes.push(change));
  assert.deepEqual(await visibleTexts(b), ['the root', 'a reply', 'a reply to it']);
  assert.deepEqual(
    changes.map(({ action, id, ancestors }) => [action, id, ...ancestors]),
    [
      ['add', root.id],
      ['add', top.id, root.id],
      ['add', reply.id, gone.id, root.id],
      ['erase', gone.id],
    ],
  );
});

test('whichever call of a post and an erase fails, the answer is true, and a retry succeeds', async (t) => {
  for (let number = 1; ; number++) {
    const [machine, a] = await startOne(t);
    const { record } = await post(a, 'some secret text');
    const before = a.disk.calls.length;
    a.disk.failCall(number, 'EIO');
    const outcomes = await Promise.all([
      writeOutcome(post(a, 'another')),
      writeOutcome(erase(a.store, record.id)),
    ]);
    const hasFailed = a.disk.calls.length >= before + number;
    a.disk.beforeCall = undefined;
    await a.store.close();
    await repairFolder(machine.options());
    const b = await machine.start();
    const texts = await visibleTexts(b);
    for (const [outcome, isDone] of [
      [outcomes[0], texts.includes('another')],
      [outcomes[1], !texts.includes('some secret text')],
    ] as const)
      if (outcome !== 'unknown')
        assert.equal(isDone, outcome === 'stored', `${a.disk.calls[before + number - 1]}`);
    if (outcomes[1] === 'stored') assert.ok(!holdsSecret(machine));
    await erase(b.store, record.id);
    await post(b, 'a third');
    assert.ok(!holdsSecret(machine), `${a.disk.calls[before + number - 1]}`);
    await machine.stop();
    if (!hasFailed) {
      assert.ok(number > 10);
      return;
    }
  }
});

test('a process that may not write opens a folder with an unfinished erase, shows no erased text, and says so', async (t) => {
  const [machine, a] = await startOne(t);
  const { record } = await post(a, 'some secret text');
  await post(a, 'another');
  a.disk.interpose(
    'open',
    () => {
      a.disk.kill();
    },
    /^log/,
  );
  await assert.rejects(erase(a.store, record.id));
  machine.kill(a);
  const before = machine.files();
  const disk = new GatedDisk({
    ...nodeDisk,
    open: (path, mode) =>
      mode === 'read' ? nodeDisk.open(path, mode) : Promise.reject(systemError('EACCES')),
  });
  const b = await machine.start(disk, { mustExist: true, isCommand: true });
  assert.deepEqual(await visibleTexts(b), ['another']);
  await b.store.close();
  const reports = b.reports.join('\n');
  assert.match(reports, /^erased text is still in the log; the next process with write access removes it$/m);
  assert.deepEqual(machine.files(), before);
  assert.ok(holdsSecret(machine));
  await (await machine.start()).store.close();
  assert.ok(!holdsSecret(machine));
});

test('an erase that is asked for at once with its own post removes the text', async (t) => {
  const [machine, a] = await startOne(t);
  const record = aPost('some secret text');
  const calls = [addRecord(a.store, 'post', record), erase(a.store, record.id), post(a, 'another')];
  await Promise.all(calls);
  assert.ok(!holdsSecret(machine));
  assert.deepEqual(await visibleTexts(await machine.start()), ['another']);
});

test('an erase of a text of which a bit has flipped removes the text, or is refused', async (t) => {
  for (const flipped of ['some', '"message"', '"sum"']) {
    const [machine, a] = await startOne(t);
    const { record } = await post(a, 'some secret text');
    await post(a, 'another');
    const { log } = machine;
    const at = log.indexOf(flipped, log.indexOf('"do"')) + 2;
    log[at] = (log[at] ?? 0) ^ 1;
    machine.log = log;
    const outcome = await writeOutcome(erase(a.store, record.id));
    await a.store.close();
    if (outcome === 'stored') {
      assert.ok(!holdsSecret(machine), `flipped behind ${flipped}`);
      assert.deepEqual(await visibleTexts(await machine.start()), ['another'], `flipped behind ${flipped}`);
    } else assert.equal(outcome, 'nothing');
  }
});

test('a folder that has the name of a copy of the log stops no erase', async (t) => {
  const [machine, a] = await startOne(t);
  const { record } = await post(a, 'some secret text');
  mkdirSync(machine.path('.tmp-log.jsonl-x'));
  assert.equal(await erase(a.store, record.id), true);
  assert.ok(!holdsSecret(machine));
});

test('an erase is acknowledged once the folder is synced, since another process may have removed a copy of the log', async (t) => {
  const [machine, a] = await startOne(t);
  const { record } = await post(a, 'some secret text');
  a.disk.failNext('syncFolder', 'EIO');
  assert.equal(await writeOutcome(erase(a.store, record.id)), 'unknown');
  await post(a, 'another');
  assert.equal(await writeOutcome(erase(a.store, record.id)), 'stored');
  assert.equal(holdsSecret(machine), false);
});
