import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import type { Entry } from '#private/private-store.ts';
import { nodeDisk, type Disk } from '#store/folder/fs/disk.ts';
import { StoreFailure } from '#store/port/store.ts';
import { testClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { readEntries } from '../../support/private-stores.ts';

const clock = testClock('2026-11-21T10:00:00.000Z');

const entry = (tag: string): Entry => ({
  type: 'report',
  day: '2026-11-21',
  id: 'post_019c9a31-6400-7000-8000-000000000001',
  reason: 'illegal',
  tag,
});

const openIn = (folder: string, disk: Disk = nodeDisk) => new FolderPrivateStore({ disk, folder, clock });

it('makes a folder that nobody else may enter, and takes rights away that somebody gave', async (t) => {
  const folder = await temporaryFolder(t);
  assert.deepEqual(await readEntries(openIn(folder)), { entries: [], position: {} });
  assert.deepEqual(readdirSync(folder), []);
  await openIn(folder).append(entry('a'));
  const path = join(folder, 'private');
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.equal(statSync(join(path, '2026-11-21.jsonl')).mode & 0o777, 0o600);
  chmodSync(path, 0o755);
  await openIn(folder).append(entry('b'));
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

it('an entry that a crash cut in two is left out, and the next one is not', async (t) => {
  const folder = await temporaryFolder(t);
  const store = openIn(folder);
  await store.append(entry('a'));
  const { position } = await readEntries(store);
  appendFileSync(join(folder, 'private', '2026-11-21.jsonl'), '\n{"type":"report","day":"2026-');
  assert.deepEqual((await readEntries(store, position)).entries, []);
  await store.append(entry('b'));
  assert.deepEqual((await readEntries(store, position)).entries, [entry('b')]);
});

it('garbage among the entries and beside the files is left out', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'private');
  mkdirSync(path);
  const garbage = [
    '{}',
    'null',
    '[',
    '\u0000\uFFFF',
    `"${'x'.repeat(3_000_000)}"`,
    JSON.stringify({ ...entry('a'), id: '../../etc/passwd' }),
    JSON.stringify({ ...entry('a'), text: 'a text' }),
    JSON.stringify({ ...entry('a'), tag: 'x'.repeat(100) }),
  ];
  writeFileSync(join(path, '2026-11-20.jsonl'), `${garbage.join('\n')}\n${JSON.stringify(entry('b'))}\n`);
  writeFileSync(join(path, 'notes.txt'), 'hello');
  mkdirSync(join(path, 'folder'));
  assert.deepEqual((await readEntries(openIn(folder))).entries, [entry('b')]);
  await openIn(folder).prune();
});

it('what a crash left of replacing a file, and of taking the lock, is removed a day later', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'private');
  mkdirSync(path);
  // A server has run here an hour ago.
  writeFileSync(join(folder, 'clock'), JSON.stringify({ come: clock.now() - 3_600_000, jump: null }));
  const [old, young] = [
    ['.tmp-mirror.json-1', 'lock.run-1'],
    ['.tmp-mirror.json-2', 'lock.run-2'],
  ];
  const seconds = clock.now() / 1000;
  for (const [names, age] of [
    [old, 86_401],
    [young, 86_399],
  ] as const)
    for (const name of names ?? []) {
      writeFileSync(join(path, name), '{');
      utimesSync(join(path, name), 0, seconds - age);
    }
  await openIn(folder).prune();
  assert.deepEqual(readdirSync(path).sort(), young);
});

it('what a crash left and cannot be removed is a failure, and the rest is removed all the same', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'private');
  mkdirSync(path);
  writeFileSync(join(folder, 'clock'), JSON.stringify({ come: clock.now() - 3_600_000, jump: null }));
  for (const name of ['lock.run-1', 'lock.run-2', 'lock.run-3']) {
    writeFileSync(join(path, name), '{');
    utimesSync(join(path, name), 0, clock.now() / 1000 - 86_401);
  }
  const disk: Disk = {
    ...nodeDisk,
    unlink: (name) =>
      name.endsWith('2')
        ? Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
        : nodeDisk.unlink(name),
  };
  await assert.rejects(openIn(folder, disk).prune(), StoreFailure);
  assert.deepEqual(readdirSync(path), ['lock.run-2']);
});

it('a pipe, a folder and a link in place of a denial are left out, and the other denials stay in force', async (t) => {
  const folder = await temporaryFolder(t);
  const store = openIn(folder);
  const until = clock.now() + 3_600_000;
  const n = await store.addDenial({ at: clock.now(), until, reason: 'x', range: '203.0.113.0/24' });
  const place = (name: string): string => join(folder, 'private', 'denials', name);
  execFileSync('mkfifo', [place('2-1.json')]);
  mkdirSync(place('3-1.json'));
  symlinkSync('/nowhere', place('4-1.json'));
  const numbers = (await openIn(folder).denials()).map((denial) => denial.n);
  assert.deepEqual(numbers, [n]);
});

it('a denial whose number another process took meanwhile gets the next one', async (t) => {
  const folder = await temporaryFolder(t);
  const denial = { at: clock.now(), until: clock.now() + 3_600_000, reason: 'x', range: '203.0.113.0/24' };
  let isFirst = true;
  const disk: Disk = {
    ...nodeDisk,
    rename: async (from, to) => {
      await nodeDisk.rename(from, to);
      if (isFirst) writeFileSync(join(dirname(to), `1-${denial.at + 1}.json`), JSON.stringify(denial));
      isFirst = false;
    },
  };
  assert.equal(await new FolderPrivateStore({ disk, folder, clock }).addDenial(denial), 2);
  const numbers = (await openIn(folder).denials()).map(({ n }) => n);
  assert.deepEqual(numbers, [1, 2]);
});

it('reads the file of a denial once', async (t) => {
  const folder = await temporaryFolder(t);
  let opened = 0;
  const disk: Disk = {
    ...nodeDisk,
    open: (path, mode) => {
      opened += 1;
      return nodeDisk.open(path, mode);
    },
  };
  const [command, server] = [openIn(folder), openIn(folder, disk)];
  assert.deepEqual(await server.denials(), []);
  const denial = { at: 1, until: 2, reason: 'x', range: '203.0.113.0/24' };
  for (let n = 1; n <= 20; n++) assert.equal(await command.addDenial(denial), n);
  assert.equal((await server.denials()).length, 20);
  assert.equal(opened, 20);
  assert.equal(await server.denials(), await server.denials());
  await command.removeDenial(20);
  await command.addDenial({ ...denial, at: 3 });
  const changed = await server.denials();
  assert.deepEqual([changed.length, changed.at(-1)?.n, changed.at(-1)?.at], [20, 20, 3]);
  assert.equal(opened, 21);
});

it('two processes that deny at once give their denials different numbers', async (t) => {
  const folder = await temporaryFolder(t);
  const stores = [openIn(folder), openIn(folder)];
  const numbers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      stores[n % 2]!.addDenial({ at: n, until: 99, reason: 'x', range: '203.0.113.0/24' }),
    ),
  );
  assert.equal(new Set(numbers).size, 20);
  assert.equal((await openIn(folder).denials()).length, 20);
});

it('a link in place of a file is refused, and nothing is written through it', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'private'));
  writeFileSync(join(folder, 'victim'), 'unchanged');
  symlinkSync(join(folder, 'victim'), join(folder, 'private', '2026-11-21.jsonl'));
  await assert.rejects(openIn(folder).append(entry('a')), StoreFailure);
  assert.equal(statSync(join(folder, 'victim')).size, 'unchanged'.length);
});

it('a disk that is full stores nothing and says so, and takes entries again', async (t) => {
  const folder = await temporaryFolder(t);
  let isFull = true;
  const disk: Disk = {
    ...nodeDisk,
    open: async (path, mode) => {
      const file = await nodeDisk.open(path, mode);
      return { ...file, append: (bytes) => file.append(isFull ? bytes.subarray(0, 10) : bytes) };
    },
  };
  const store = openIn(folder, disk);
  await assert.rejects(store.append(entry('a')), (error) => {
    assert.ok(error instanceof StoreFailure);
    assert.equal(error.stored, 'nothing');
    return /the disk is full/.test(error.message);
  });
  isFull = false;
  await store.append(entry('b'));
  assert.deepEqual((await readEntries(store)).entries, [entry('b')]);
});

it('a folder of another user is a failure of the store that names no path', async (t) => {
  const folder = await temporaryFolder(t);
  const denied = Object.assign(new Error(`EACCES: permission denied, scandir '${folder}'`), {
    code: 'EACCES',
  });
  const disk: Disk = {
    ...nodeDisk,
    list: () => Promise.reject(denied),
    makeFolder: () => Promise.reject(denied),
  };
  for (const call of [openIn(folder, disk).append(entry('a')), readEntries(openIn(folder, disk))])
    await assert.rejects(call, (error) => error instanceof StoreFailure && !error.message.includes(folder));
});

it('a clock 60 days ahead removes no report and no denial at the first looks of processes', async (t) => {
  const folder = await temporaryFolder(t);
  const now = clock.now();
  const until = now + 7 * 24 * 3_600_000;
  const store = openIn(folder);
  await store.append(entry('a'));
  await store.addDenial({ at: now, until, reason: 'x', range: '203.0.113.0/24' });
  const ahead = { now: () => now + 60 * 24 * 3_600_000 };
  for (let starts = 0; starts < 3; starts++) {
    const process = new FolderPrivateStore({ disk: nodeDisk, folder, clock: ahead });
    await process.append(entry(`ahead ${starts}`));
    await process.prune();
    await process.close();
  }
  assert.deepEqual((await readEntries(openIn(folder))).entries[0], entry('a'));
  const ends = (await openIn(folder).denials()).map((denial) => denial.until);
  assert.deepEqual(ends, [until]);
});
