import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { openLog } from '#store/jsonl/log/open-log.ts';
import type { CountedLine } from '#store/jsonl/log/line.ts';
import { Machine, post, visibleTexts } from '../../../../support/store/machine.ts';
import { erase } from '../../../../support/store/writes.ts';

const LOG = 'log-000001.jsonl';

/** Stores four posts, with a torn write, a displaced line, and one after a torn write between. */
async function eventful(machine: Machine): Promise<Buffer> {
  const [a, b] = [await machine.start(), await machine.start()];
  b.disk.shortNext(40, /^log/);
  await assert.rejects(post(b, 'torn'));
  await post(b, '1');
  a.disk.interpose('append', () => post(b, '2'), /^log/);
  await post(a, '3');
  a.disk.interpose(
    'append',
    async () => {
      b.disk.shortNext(9, /^log/);
      await assert.rejects(post(b, 'torn'));
    },
    /^log/,
  );
  await post(a, '4');
  await Promise.all([a.store.close(), b.store.close()]);
  return readFileSync(machine.path(LOG));
}

/** @returns all lines that count */
async function countingLines(machine: Machine): Promise<string[]> {
  let lines: string[] = [];
  const consumer = {
    line: ({ seq, do: stored }: CountedLine) => {
      // The erase line of a copy names the copy.
      lines.push(`${seq} ${JSON.stringify({ ...stored, line: undefined })}`);
    },
    reset: async () => {
      lines = [];
    },
    loaded: () => undefined,
    replaced: () => undefined,
    restore: () => false,
  };
  const context = {
    disk: nodeDisk,
    folder: machine.folder,
    report: () => undefined,
    pause: async () => undefined,
  };
  const log = await openLog({ ...context, consumer }, true, undefined);
  await log.close();
  return lines;
}

test('displaced lines and torn writes are not reported as damage', async (t) => {
  const machine = new Machine(t);
  const bytes = await eventful(machine);
  // The last line is repeated in the next segment: what stands where it was expected cannot be read.
  assert.equal(machine.segments().length, 2);
  const messages = machine.segments().map((name) => machine.files()[name]!.match(/(?<="message":")[1-4]/g)!);
  assert.deepEqual(messages[0], ['1', '2', '3', '3', '4']);
  assert.equal(messages[1]!.at(-1), '4');
  assert.deepEqual(await visibleTexts(await machine.start()), ['1', '2', '3', '4']);
  assert.deepEqual(readFileSync(machine.path(LOG)), bytes);
});

test('any flipped byte of a continued segment is reported as damage or changes no line that counts', async (t) => {
  const machine = new Machine(t);
  const bytes = await eventful(machine);
  const lines = await countingLines(machine);
  assert.equal(lines.length, 4);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    writeFileSync(machine.path(LOG), changed);
    const read = await countingLines(machine).catch((error: unknown) => error);
    if (!(read instanceof CorruptionError)) assert.deepEqual(read, lines, `byte ${at}`);
  }
});

test('a line whose text is overwritten up to any byte, or from any byte on, counts as an erased line', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const { record } = await post(a, 'a private sentence');
  await post(a, 'a public sentence');
  const before = readFileSync(machine.path(LOG));
  await erase(a.store, record.id);
  await a.store.close();
  const erased = await countingLines(machine);
  const bytes = readFileSync(machine.path(LOG));
  const wiped = bytes.indexOf('"wiped"');
  // As if the process had been killed before it overwrote the text.
  const interrupted = bytes.subarray(0, bytes.lastIndexOf('#', wiped));
  const changed = [...before.keys()].filter((at) => before[at] !== bytes[at]);
  const [start, end] = [changed[0]!, changed.at(-1)! + 1];
  for (let cut = start; cut <= end; cut++)
    for (const blank of [
      [start, cut],
      [cut, end],
    ] as const) {
      const half = Buffer.from(interrupted);
      before.copy(half, start, start, end);
      bytes.copy(half, blank[0], ...blank);
      writeFileSync(machine.path(LOG), half);
      rmSync(machine.path('log-000002.jsonl'), { force: true });
      const read = await countingLines(machine);
      // A line that still holds its whole text counts as it was; the erase line follows it.
      assert.deepEqual(
        read.slice(blank[0] === blank[1] ? 1 : 0),
        erased.slice(blank[0] === blank[1] ? 1 : 0),
      );
      assert.ok(!JSON.stringify(machine.files()).includes('private'));
    }
});
