import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createMemoryDisk } from '#demo/memory-disk.ts';
import type { Disk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { decodeLine, LOG, toOperation, type StoredOperation } from '#store/folder/line.ts';
import { salvageFolder } from '#store/folder/salvage.ts';
import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
import { testClock } from '../../../support/clock.ts';
import { IS_THOROUGH } from '../../../support/thorough.ts';
import { aPost, aReply, newId } from '../../../support/store/records.ts';
import {
  addPost,
  addRecord,
  erase,
  freeze,
  hide,
  importEntries,
  thaw,
  unhide,
} from '../../../support/store/writes.ts';

const NOW = '2026-11-21T10:49:32.123Z';
const FOLDER = '/data';
const MARK = 'ab12cd34ef56';
const PRIVATE = 'a private text';
const HOLD = 'hold until 2026-11-22T10:49Z: several networks reported it';

type Entry = ExportedRecord | ModerationEntry;

const openOn = (disk: Disk): Promise<Store> =>
  openFolderStore({ disk, folder: FOLDER, clock: testClock(NOW), report: () => undefined, isCommand: true });

const linesOf = (bytes: Buffer): Buffer[] =>
  bytes
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'));

async function logOn(disk: Disk): Promise<Buffer> {
  const file = await disk.open(`${FOLDER}/${LOG}`, 'read');
  const log = Buffer.alloc(file.size());
  await file.read(log, 0);
  return log;
}

async function collect(history: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of history) entries.push(entry);
  return entries;
}

const moderationsIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => ('action' in entry ? JSON.stringify(entry) : [])).toSorted();

const operationsOf = (bytes: Buffer): StoredOperation[] =>
  linesOf(bytes).flatMap((line) => decodeLine(line)?.do ?? []);

/** @returns the moderations whose lines are whole, as an export has them */
const moderationsOf = (log: Buffer): string[] =>
  operationsOf(log)
    .flatMap((stored) => ('moderate' in stored ? JSON.stringify(toOperation(stored)) : []))
    .toSorted();

async function visibleIn({ read }: Store): Promise<string[]> {
  const range = { order: 'oldest', limit: 100 } as const;
  const pages = [read.page('post', range), read.page('guest', range), read.page('project', range)];
  const projects = await read.page('project', range);
  const notes = projects.map(({ record }) => read.page('note', { ...range, within: record.id }));
  const records = (await Promise.all([...pages, ...notes])).flat();
  return records.map(({ record }) => record.id).toSorted();
}

interface Place {
  /** The log as its store left it. */
  readonly log: Buffer;
  /** A backup of all, and one that was made before anything was moderated. */
  readonly backups: readonly (readonly Entry[])[];
  readonly moderations: readonly string[];
  readonly visible: readonly string[];
}

/** A place with every kind of record and of moderation. */
async function createPlace(): Promise<Place> {
  const disk = createMemoryDisk(() => Date.parse(NOW));
  const store = await openOn(disk);
  const add = async (message: string, parentId?: string): Promise<string> => {
    const post = parentId === undefined ? aPost(message, { mark: MARK }) : aReply(parentId, message);
    return (await addRecord(store, 'post', post)).record.id;
  };
  const project = { title: 't', summary: 's', by: 'b', url: null, looking_for: null };
  const addProject = (id: string) => addRecord(store, 'project', { ...project, id });
  const [shown, opener, erasedOpener] = [await add('shown'), await add('opener'), await add('IDEA: gone')];
  const [hidden, held, unhidden, erased, again] = [
    await add('hidden', opener),
    await add('held', opener),
    await add('unhidden', opener),
    await add('erased', erasedOpener),
    await add('hidden again', shown),
  ];
  const projects = [newId('project'), newId('project')];
  for (const id of projects) await addProject(id);
  const notes = [newId('note'), newId('note')];
  for (const [n, id] of notes.entries())
    await addRecord(store, 'note', { id, projectId: projects[n]!, name: 'n', note: 'a note' });
  const guests = [newId('guest'), newId('guest')];
  for (const id of guests) await addRecord(store, 'guest', { id, name: 'g', kind: null, note: 'hello' });
  const early = await collect(store.read.history());
  for (const id of [hidden, unhidden, again, projects[1]!, guests[1]!, opener]) await hide(store, id);
  await hide(store, held, HOLD);
  for (const id of [unhidden, again]) await unhide(store, id);
  await hide(store, again);
  for (const id of [erasedOpener, erased, notes[0]!]) await erase(store, id);
  await freeze(store);
  await thaw(store);
  await addPost(store, 'the last one');
  const all = await collect(store.read.history());
  const visible = await visibleIn(store);
  await store.close();
  return { log: await logOn(disk), backups: [all, early], moderations: moderationsIn(all), visible };
}

async function salvage(bytes: Buffer) {
  const disk = createMemoryDisk(() => 0);
  const file = await disk.open(`${FOLDER}/${LOG}`, 'create');
  await file.append(bytes);
  const { history, losses } = await salvageFolder(disk, FOLDER);
  const entries = await collect(history());
  assert.deepEqual(await logOn(disk), bytes);
  return { entries, losses };
}

/** Imports into an empty store, one file after the other. */
async function restore(files: readonly (readonly Entry[])[]) {
  const store = await openOn(createMemoryDisk(() => Date.parse(NOW)));
  for (const entries of files) await importEntries(store, entries);
  const moderations = moderationsIn(await collect(store.read.history()));
  const visible = await visibleIn(store);
  await store.close();
  return { moderations, visible };
}

/** @returns the log with one byte changed, one that is gone, and one line that is cut in two */
const damagesAt = (log: Buffer, at: number): Buffer[] => [
  Buffer.from(log).fill(log[at]! ^ 1, at, at + 1),
  Buffer.concat([log.subarray(0, at), log.subarray(at + 1)]),
  Buffer.concat([log.subarray(0, at), Buffer.from('\n'), log.subarray(at)]),
];

let place: Place;
before(async () => {
  place = await createPlace();
});

test('a salvage and the backup together have every moderation, and show nothing that was hidden, whichever byte is damaged', async () => {
  const { log, backups, moderations, visible } = place;
  const [whole = [], early = []] = backups;
  const seen = new Set<string>();
  for (let at = 0; at < log.length; at++) {
    // Each byte is changed (a quick run takes some of them); at both ends of a line one is taken out or put in too.
    const isEnd = [log[at - 1], log[at], log[at + 1]].includes(0x0a);
    if (!IS_THOROUGH && !isEnd && at % 8 > 0) continue;
    for (const bytes of damagesAt(log, at).slice(0, isEnd ? 3 : 1)) {
      const { entries, losses } = await salvage(bytes);
      const key = JSON.stringify(entries);
      if (seen.has(key)) continue;
      seen.add(key);
      const name = `byte ${at}`;
      const restored = await restore([entries, whole]);
      assert.deepEqual(restored, { moderations, visible }, name);
      // With an older backup only a moderation whose own line is damaged is missing.
      const intact = moderationsOf(bytes);
      const older = await restore([entries, early]);
      assert.deepEqual(older.moderations, intact, name);
      if (intact.length < moderations.length) continue;
      const lost = older.visible.filter((id) => !visible.includes(id));
      assert.deepEqual(lost, [], name);
      assert.ok(losses.length <= 1, name);
    }
  }
  assert.ok(seen.size > 20);
});

test('a byte before the lines of erased records costs the line that it is in, and no other', async () => {
  const { log } = place;
  const second = log.indexOf('{"at":', log.indexOf('{"at":') + 1);
  for (const bytes of damagesAt(log, second + 20)) {
    const { losses } = await salvage(bytes);
    const kinds = losses.map(({ what }) => what);
    assert.deepEqual(kinds, ['1 line is damaged or missing']);
  }
  // Without its line feed the mark of a write hides the erased line behind it, whose text is gone anyway.
  const feed = log.lastIndexOf('\n', log.indexOf('    '));
  const { losses } = await salvage(damagesAt(log, feed)[0]!);
  assert.deepEqual(losses, []);
});

interface Damageable {
  /** The log as the store left it. */
  readonly whole: Buffer;
  /** The log before the erases: what a crash may leave of their lines. */
  readonly withPrivateTexts: Buffer;
}

/** Forty posts, of which some are hidden and some are erased; the private texts are those of the erased ones. */
async function createStore(): Promise<Damageable> {
  const disk = createMemoryDisk(() => Date.parse(NOW));
  const store = await openOn(disk);
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) {
    const { record } = await addPost(store, n % 5 === 4 ? `${PRIVATE} ${n}` : `post ${n}`);
    ids.push(record.id);
    if (n % 7 === 6) await hide(store, record.id);
  }
  const withPrivateTexts = await logOn(disk);
  for (const id of ids.filter((_, n) => n % 5 === 4)) await erase(store, id);
  await store.close();
  return { whole: await logOn(disk), withPrivateTexts };
}

/** @returns how many lines are whole or erased by a whole one */
const countWhole = (bytes: Buffer): number => {
  const erased = operationsOf(bytes).flatMap((one) => ('moderate' in one && one.line?.seq) || []);
  const whole = linesOf(bytes).flatMap((line) => decodeLine(line)?.seq ?? []);
  return new Set([...erased, ...whole]).size;
};

const postsOf = (bytes: Buffer): { id: string; message: string }[] =>
  operationsOf(bytes).flatMap((operation) =>
    'add' in operation && 'message' in operation.record
      ? { id: operation.record.id, message: String(operation.record['message']) }
      : [],
  );

/** Flips bits, blanks, cuts out, repeats and cuts off, at random places. */
function damaged(bytes: Buffer, random: SeededRandom): Buffer {
  let result = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(result.length);
    const to = Math.min(result.length, at + 1 + random.below(1500));
    const kind = random.below(6);
    if (kind === 0) result[at]! ^= 1 << random.below(8);
    if (kind === 1) result.fill(random.below(2) === 0 ? 0 : 0x20, at, to);
    if (kind === 2) result = Buffer.concat([result.subarray(0, at), result.subarray(to)]);
    if (kind === 3) result = Buffer.concat([result.subarray(0, to), result.subarray(at)]);
    if (kind === 4) result = result.subarray(0, at);
    if (kind === 5) {
      const lines = linesOf(result);
      const line = lines[random.below(lines.length)]!;
      lines.splice(random.below(lines.length), random.below(2), line);
      result = Buffer.concat(lines.flatMap((one) => [one, Buffer.from('\n')])).subarray(0, -1);
    }
  }
  return result;
}

test('of a log with random damage every whole line is exported, each record once, and no erased text', async () => {
  const { whole, withPrivateTexts } = await createStore();
  const originals = new Map(postsOf(withPrivateTexts).map(({ id, message }) => [id, message]));
  // A crash between the line of an erase and the blanks leaves the text.
  const interrupted = Buffer.concat([withPrivateTexts, whole.subarray(withPrivateTexts.length)]);
  for (let seed = 1; seed <= 100; seed++) {
    const bytes = damaged(seed % 3 === 0 ? interrupted : whole, new SeededRandom(seed));
    const { entries, losses } = await salvage(bytes);
    const erased = new Set(
      operationsOf(bytes).flatMap((one) => ('moderate' in one && one.moderate === 'erase' ? one.id : [])),
    );
    const expected = new Set(
      postsOf(bytes)
        .map(({ id }) => id)
        .filter((id) => !erased.has(id)),
    );
    const records = entries.flatMap((entry) => ('record' in entry ? entry.record : []));
    const name = `seed ${seed}`;
    assert.deepEqual(records.map(({ id }) => id).toSorted(), [...expected].toSorted(), name);
    for (const record of records)
      assert.equal('message' in record && record.message, originals.get(record.id), name);
    // A log that ends behind a line shows nothing of what it has lost.
    const last = Math.max(0, ...linesOf(bytes).map((line) => decodeLine(line)?.seq ?? 0));
    if (losses.length === 0) assert.equal(countWhole(bytes), last, name);
    for (const { bytes: [from, to] = [0, 0] } of losses)
      assert.ok(0 <= from && from <= to && to <= bytes.length, name);
  }
});

test('a damaged line at the end is named, though nothing stands behind it', async () => {
  const { withPrivateTexts: whole } = await createStore();
  const bytes = Buffer.from(whole);
  bytes[bytes.length - 40]! ^= 4;
  const { entries, losses } = await salvage(bytes);
  assert.equal(entries.length, (await salvage(whole)).entries.length - 1);
  assert.deepEqual(losses, [
    {
      file: LOG,
      bytes: [whole.lastIndexOf('{"at":'), whole.length - 1],
      what: 'a line is damaged, or was cut off by a crash before it was acknowledged',
    },
  ]);
});

test('a folder without a log is refused', async () => {
  const disk = createMemoryDisk(() => 0);
  await assert.rejects(salvageFolder(disk, FOLDER), /there is no store in this folder/);
});
