import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { salvageFolder } from '#store/jsonl/salvage/salvage-folder.ts';
import type { Reader } from '#store/port/store.ts';
import { encodeExport } from '#workspace/export-format.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { Machine, post, postInNewSegment } from '../../../../support/store/machine.ts';
import { erase, hide, unhide } from '../../../../support/store/writes.ts';

const SEEDS = 40;
const RECORDS = 200;
const SEGMENT_RECORDS = 70;
const ERASED = 'this text was erased';
/** Of an erased record whose text still stands in the log. */
const ERASED_LATELY = 'this text was just erased';

/** @returns numbers from 0 to below 1, always the same for a seed (mulberry32) */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function exportOf(history: ReturnType<Reader['history']>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of encodeExport(history)) lines.push(line);
  return lines;
}

/** Two processes post, hide and erase in turn, and displace each other; there are several segments. */
async function fill(machine: Machine): Promise<void> {
  const [a, b] = [await machine.start(), await machine.start()];
  const ids = new Map<number, string>();
  for (let index = 0; index < RECORDS; index++) {
    const [one, other] = index % 3 === 0 ? [b, a] : [a, b];
    const text = index % 20 === 10 ? `${ERASED} ${index}` : `post ${index}`;
    if (index % 7 === 0) one.disk.interpose('append', () => post(other, `before ${index}`), /^log/);
    const isNewSegment = index % SEGMENT_RECORDS === SEGMENT_RECORDS / 2;
    if (isNewSegment) await postInNewSegment(one, text);
    else ids.set(index, (await post(one, text)).record.id);
    if (index % 20 === 15) await erase(one.store, ids.get(index - 5) ?? '');
    if (index % 9 === 5) await hide(other.store, ids.get(index - 2) ?? '');
    if (index % 18 === 7) await unhide(other.store, ids.get(index - 4) ?? '');
  }
  const late = await post(a, ERASED_LATELY);
  await post(b, 'between');
  a.disk.failNext('overwrite', 'EIO', /^log/);
  await assert.rejects(erase(a.store, late.record.id));
  await post(b, 'behind');
  await b.store.close();
}

interface Damage {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Changes single bits, runs of bytes and blocks. @returns what was changed */
function damage(folder: string, names: readonly string[], random: () => number): Damage[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: 1 + below(4) }, () => {
    const name = names[below(names.length)]!;
    const bytes = readFileSync(`${folder}/${name}`);
    const length = [1, 1, 1, 20, 4096][below(5)]!;
    const from = length === 4096 ? below(bytes.length / 4096) * 4096 : below(bytes.length);
    const to = Math.min(from + length, bytes.length);
    const value = below(4);
    for (let at = from; at < to; at++)
      bytes[at] = length === 1 ? bytes[at]! ^ (1 << below(8)) : [0, 0x20, 0x0a, below(256)][value]!;
    writeFileSync(`${folder}/${name}`, bytes);
    return { name, from, to };
  });
}

test('whatever bytes change, a salvage holds the records whose lines did not, and none that was erased', async (t) => {
  const machine = new Machine(t);
  await fill(machine);
  const names = machine.segments();
  assert.ok(names.length >= 3);
  assert.ok(JSON.stringify(machine.files()).includes(ERASED_LATELY));
  const whole = await salvageFolder(nodeDisk, machine.folder);
  const all = await exportOf(whole.history());
  assert.deepEqual(whole.losses, []);
  assert.doesNotMatch(all.join('\n'), /text was/);
  assert.ok(all.length > RECORDS);
  const known = new Set(all);
  const files = machine.files();
  const isTouched = (key: string, damages: readonly Damage[]): boolean => touching(key, damages, files) > 0;
  const folder = `${await temporaryFolder(t)}/store`;
  let [refused, missing] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed++) {
    rmSync(folder, { recursive: true, force: true });
    cpSync(machine.folder, folder, { recursive: true });
    const damages = damage(folder, names, randomOf(seed));
    const hint = `seed ${seed}: ${JSON.stringify(damages)}`;
    const { history, losses } = await salvageFolder(nodeDisk, folder);
    const exported = await exportOf(history());
    // Where nothing is left of the line that erased it, nobody can know.
    const erasures = damages.filter(({ from, to }) => to - from === 4096);
    const isForgotten =
      touching('"moderate":"erase"', erasures, files) > 0 ||
      touching('"moderate":"erase"', damages, files) > 1;
    for (const line of exported)
      assert.ok(known.has(line) || (isForgotten && line.includes(ERASED_LATELY)), `${hint}, ${line}`);
    assert.ok(!exported.some((line) => line.includes(ERASED)), hint);
    const lost = all.filter((line) => !exported.includes(line));
    for (const line of lost) {
      missing += 1;
      assert.ok(
        mayBeLost(line, (key) => isTouched(key, damages)),
        `${hint}, ${line} ${JSON.stringify(losses)}`,
      );
    }
    const opened = await openJsonlStore({ folder, clock: machine.clock, report: () => undefined }).catch(
      () => undefined,
    );
    if (opened === undefined) {
      refused += 1;
      assert.notEqual(losses.length, 0, hint);
    } else {
      assert.deepEqual(exported, await exportOf(opened.read.history()), hint);
      await opened.close();
    }
  }
  t.diagnostic(`${refused} of ${SEEDS} folders are refused, ${missing} lines are missing`);
});

/** @returns how many damages touch a line that holds the key */
function touching(key: string, damages: readonly Damage[], files: Record<string, string>): number {
  return damages.filter(({ name, from, to }) => {
    const bytes = files[name]!;
    for (let found = bytes.indexOf(key); found >= 0; found = bytes.indexOf(key, found + 1)) {
      const start = bytes.lastIndexOf('\n', found);
      if (from <= bytes.indexOf('\n', found) && to > start) return true;
    }
    return false;
  }).length;
}

/** Whether a line of the export may be missing: its own line was touched, or that of the record that it hides. */
function mayBeLost(exported: string, isTouched: (key: string) => boolean): boolean {
  const [entry] = Object.values(JSON.parse(exported) as Record<string, { id: string; at?: string }>);
  const record = `"record":{"id":"${entry!.id}"`;
  if (entry!.at === undefined) return isTouched(record);
  return isTouched(`"id":"${entry!.id}","at":"${entry!.at}"`) || isTouched(record);
}
