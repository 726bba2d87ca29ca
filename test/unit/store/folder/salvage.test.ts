import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { decodeLine, LOG, type StoredOperation } from '#store/folder/line.ts';
import { salvageFolder } from '#store/folder/salvage.ts';
import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import type { Loss } from '#store/port/store.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { addPost, erase, hide } from '../../../support/store/writes.ts';

const PRIVATE = 'a private text';

interface Damageable {
  readonly folder: string;
  /** The log as the store left it. */
  readonly whole: Buffer;
  /** The log before the erases: what a crash may leave of their lines. */
  readonly withPrivateTexts: Buffer;
}

/** Forty posts, of which some are hidden and some are erased; the private texts are those of the erased ones. */
async function createStore(t: TestContext): Promise<Damageable> {
  const folder = await temporaryFolder(t);
  const log = join(folder, LOG);
  const store = await openFolderStore({
    folder,
    clock: testClock('2026-11-21T10:49:32.123Z'),
    report: () => undefined,
  });
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) {
    const { record } = await addPost(store, n % 5 === 4 ? `${PRIVATE} ${n}` : `post ${n}`);
    ids.push(record.id);
    if (n % 7 === 6) await hide(store, record.id);
  }
  const withPrivateTexts = readFileSync(log);
  for (const id of ids.filter((_, n) => n % 5 === 4)) await erase(store, id);
  await store.close();
  return { folder, whole: readFileSync(log), withPrivateTexts };
}

interface Salvaged {
  readonly entries: (ExportedRecord | ModerationEntry)[];
  readonly losses: readonly Loss[];
}

async function salvage(folder: string, bytes: Buffer): Promise<Salvaged> {
  writeFileSync(join(folder, LOG), bytes);
  const { history, losses } = await salvageFolder(nodeDisk, folder);
  const entries: Salvaged['entries'] = [];
  for await (const entry of history()) entries.push(entry);
  assert.deepEqual(readFileSync(join(folder, LOG)), bytes);
  return { entries, losses };
}

const linesOf = (bytes: Buffer): Buffer[] =>
  bytes
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'));

const operationsOf = (bytes: Buffer): StoredOperation[] =>
  linesOf(bytes).flatMap((line) => decodeLine(line)?.do ?? []);

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

test('of a log with random damage every whole line is exported, each record once, and no erased text', async (t) => {
  const { folder, whole, withPrivateTexts } = await createStore(t);
  const originals = new Map(postsOf(withPrivateTexts).map(({ id, message }) => [id, message]));
  // A crash between the line of an erase and the blanks leaves the text.
  const interrupted = Buffer.concat([withPrivateTexts, whole.subarray(withPrivateTexts.length)]);
  for (let seed = 1; seed <= 100; seed++) {
    const bytes = damaged(seed % 3 === 0 ? interrupted : whole, new SeededRandom(seed));
    const { entries, losses } = await salvage(folder, bytes);
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

test('a damaged line at the end is named, though nothing stands behind it', async (t) => {
  const { folder, withPrivateTexts: whole } = await createStore(t);
  const bytes = Buffer.from(whole);
  bytes[bytes.length - 40]! ^= 4;
  const { entries, losses } = await salvage(folder, bytes);
  assert.equal(entries.length, (await salvage(folder, whole)).entries.length - 1);
  assert.deepEqual(losses, [
    {
      file: LOG,
      bytes: [whole.lastIndexOf('{"at":'), whole.length - 1],
      what: 'a line is damaged, or was cut off by a crash before it was acknowledged',
    },
  ]);
});

test('a folder without a log is refused', async (t) => {
  const empty = await temporaryFolder(t);
  await assert.rejects(salvageFolder(nodeDisk, empty), /there is no store in this folder/);
});
