import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { decodeLine, encodeLine, FORMAT, headerLine, type SegmentHeader } from '#store/jsonl/log/line.ts';
import { StoreFailure } from '#store/port/store.ts';
import { Machine, post, visibleTexts } from '../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

/** A segment with three posts, which a proof line follows. */
interface Log {
  readonly header: SegmentHeader;
  readonly bytes: Buffer;
  /** All lines with their line feeds: the header, three posts behind a `#` each, and a `#` and the proof. */
  readonly lines: readonly Buffer[];
  /** Byte offsets of the lines. */
  readonly starts: readonly number[];
}

/** Indexes in `lines`. */
const [HEADER, FIRST, SECOND, THIRD, BEHIND_THIRD] = [0, 2, 4, 6, 7] as const;

const join = (...pieces: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

const flip = (bytes: Buffer, at: number): Buffer =>
  Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));

const without = (lines: readonly Buffer[], left: number): Buffer =>
  join(...lines.filter((_, index) => index !== left));

const FREEZE = '"do":{"turn":"freeze","at":"2026-11-21T10:50:00.000000Z"}';

/** A line behind the log, at the byte where it says it is. */
type Tail = (log: Log) => Buffer | string;

function lineBehind(log: Log, seq: number, base: number, body: string, moved = 0): Buffer {
  return encodeLine({ at: log.bytes.length + moved, seq, base }, body, log.header.seed);
}

/** Behind the last line, by description: lines that build on lines which are missing. */
const DAMAGED_BEHIND: Record<string, Tail> = {
  'a line whose writer had read lines that are missing': (log) => lineBehind(log, 6, 5, FREEZE),
  'a displaced line whose writer had read lines that are missing': (log) =>
    lineBehind(log, 6, 5, FREEZE, -10),
  'a line with the next number whose writer had read it already': (log) =>
    join('garbage\n', lineBehind(log, 4, 4, FREEZE)),
  'a proof of lines that are missing': (log) => lineBehind(log, 4, 4, '"proof":1'),
  'a mark of an erase that is missing': (log) => lineBehind(log, 4, 4, '"wiped":4'),
};

/** Behind the last line, by description: what a write that was cut off or displaced may leave. */
const DEAD_BEHIND: Record<string, Tail> = {
  'a bare line feed': () => '\n',
  'a line of garbage': () => 'garbage\n',
  'garbage without a line feed': () => 'garbage',
  'a line that is JSON but no line of a log': () => 'null\n',
  'zeros and a line feed': () => `${'\0'.repeat(500)}\n`,
  'zeros without a line feed': () => Buffer.alloc(500),
  'a megabyte without a line feed': () => 'x'.repeat(1_000_000),
  'a line with a bad checksum': (log) => flip(lineBehind(log, 4, 3, FREEZE), 5),
  'a line of another segment': (log) =>
    encodeLine({ at: log.bytes.length, seq: 4, base: 3 }, FREEZE, log.header.seed + 1),
  'a line at another byte than it says': (log) => lineBehind(log, 4, 3, FREEZE, -10),
  'a line with a gap in the numbers': (log) => lineBehind(log, 5, 3, FREEZE),
  'a line with a number that is taken': (log) => lineBehind(log, 3, 2, FREEZE),
  'a line after a cut-off write, at the byte that its writer expected': (log) =>
    join('frag', lineBehind(log, 4, 3, FREEZE, 4)),
  'a valid checksum of invalid JSON': (log) => lineBehind(log, 4, 3, 'nonsense'),
  'a copy of the last line': ({ lines }) => lines[THIRD]!,
};

/** The changed bytes, and the byte that the error names. */
const WITHIN: Record<string, (log: Log) => [bytes: Buffer, at: number]> = {
  'an empty log': () => [Buffer.alloc(0), 0],
  'a log that holds null': () => [Buffer.from('null'), 0],
  'a log without its header': ({ lines }) => [without(lines, HEADER), 0],
  'half a header': ({ bytes }) => [bytes.subarray(0, 20), 0],
  'a flipped bit in the header': ({ bytes }) => [flip(bytes, 20), 0],
  'a header of a later format': ({ lines, header }) => [
    join(headerLine({ ...header, format: FORMAT + 1 }), ...lines.slice(1)),
    0,
  ],
  'a flipped bit': ({ bytes, starts }) => [flip(bytes, starts[SECOND]! + 30), starts[SECOND]!],
  'a flipped bit in the last line': ({ bytes, starts }) => [flip(bytes, starts[THIRD]! + 30), starts[THIRD]!],
  'a flipped line feed': ({ bytes, starts }) => [flip(bytes, starts[FIRST + 1]! - 1), starts[FIRST]!],
  'a line cut out': ({ lines, starts }) => [without(lines, SECOND), starts[FIRST + 1]!],
  'the last line cut out': ({ lines, starts }) => [without(lines, THIRD), starts[SECOND + 1]!],
  'a hole of zeros': ({ bytes, starts }) => [
    join(bytes.subarray(0, starts[SECOND]), Buffer.alloc(50), bytes.subarray(starts[SECOND]! + 50)),
    starts[SECOND]!,
  ],
  'a hole of spaces': ({ bytes, starts }) => [
    join(bytes.subarray(0, starts[SECOND]), Buffer.alloc(50, ' '), bytes.subarray(starts[SECOND]! + 50)),
    starts[SECOND]!,
  ],
  'an inserted line': ({ lines, starts }) => [
    join(...lines.slice(0, SECOND), '#\n', ...lines.slice(SECOND)),
    starts[FIRST + 1]!,
  ],
  'two lines exchanged': ({ lines, starts }) => [
    join(
      ...lines.slice(0, SECOND),
      lines[THIRD]!,
      lines[SECOND + 1]!,
      lines[SECOND]!,
      ...lines.slice(BEHIND_THIRD),
    ),
    starts[FIRST + 1]!,
  ],
};

async function makeLog(machine: Machine): Promise<Log> {
  const a = await machine.start();
  for (const text of ['1', '2', '3']) await post(a, text);
  await a.store.close();
  const bytes = readFileSync(machine.path(LOG));
  const lines = bytes
    .toString()
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line));
  const header = decodeLine(lines[HEADER]!.subarray(0, -1), 0) as unknown as { log: SegmentHeader };
  const starts = lines.map((_, index) => join(...lines.slice(0, index)).length);
  return { header: header.log, bytes, lines, starts };
}

async function refuses(machine: Machine, at: number): Promise<void> {
  const before = machine.files();
  const isNamed = (error: unknown): boolean =>
    error instanceof CorruptionError && error.message.includes(`${machine.path(LOG)} at byte ${at}:`);
  await assert.rejects(machine.start(), isNamed);
  assert.deepEqual(machine.files(), before);
}

for (const [description, change] of Object.entries(WITHIN)) {
  test(`${description}: the start rejects, names file and byte, and changes no file`, async (t) => {
    const machine = new Machine(t);
    const [bytes, at] = change(await makeLog(machine));
    writeFileSync(machine.path(LOG), bytes);
    await refuses(machine, at);
  });
}

for (const [description, tail] of Object.entries(DAMAGED_BEHIND)) {
  test(`${description}: the start rejects; a running process rejects writes and serves reads`, async (t) => {
    const machine = new Machine(t);
    const log = await makeLog(machine);
    const a = await machine.start();
    appendFileSync(machine.path(LOG), tail(log));
    const at = description.includes('next number') ? log.bytes.length : log.starts[BEHIND_THIRD]!;
    const before = machine.files();
    const refusal = (error: unknown): boolean => error instanceof StoreFailure && error.stored === 'nothing';
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await visibleTexts(a), ['1', '2', '3']);
      await assert.rejects(post(a, 'never'), refusal);
      assert.deepEqual(await a.store.health(), {
        writable: false,
        reason: 'the store is damaged',
        notifying: true,
      });
    }
    assert.equal(a.reports.length, 1);
    assert.ok(a.reports[0]?.includes(`${machine.path(LOG)} at byte ${at}:`), a.reports[0]);
    assert.deepEqual(machine.files(), before);
    await refuses(machine, at);
  });
}

for (const [description, tail] of Object.entries(DEAD_BEHIND)) {
  test(`${description} behind the last line: it never counts, and every process goes on behind it`, async (t) => {
    const machine = new Machine(t);
    const log = await makeLog(machine);
    const a = await machine.start();
    appendFileSync(machine.path(LOG), tail(log));
    const before = machine.files();
    const b = await machine.start();
    for (const reader of [a, b]) {
      assert.deepEqual(await visibleTexts(reader), ['1', '2', '3']);
      assert.equal(await reader.store.read.frozen(), false);
    }
    assert.deepEqual(machine.files(), before);
    await post(a, '4');
    await post(b, '5');
    for (const reader of [a, b, await machine.start()]) {
      assert.deepEqual(await visibleTexts(reader), ['1', '2', '3', '4', '5']);
      assert.equal(await reader.store.read.frozen(), false);
    }
    assert.deepEqual(machine.segments(), [LOG]);
  });
}

test('damage behind the last line is judged anew: once it is removed, a running process writes again', async (t) => {
  const machine = new Machine(t);
  const log = await makeLog(machine);
  const a = await machine.start();
  appendFileSync(machine.path(LOG), lineBehind(log, 6, 5, FREEZE));
  await assert.rejects(post(a, 'never'), StoreFailure);
  truncateSync(machine.path(LOG), log.bytes.length);
  assert.deepEqual(await a.store.health(), { writable: true, reason: null, notifying: true });
  await post(a, '4');
  assert.deepEqual(await visibleTexts(await machine.start()), ['1', '2', '3', '4']);
});

test('a process rejects writes, and reads of the texts that are lost, if the log that it has open becomes shorter', async (t) => {
  const machine = new Machine(t);
  const { bytes, starts } = await makeLog(machine);
  const a = await machine.start();
  for (const length of [starts[THIRD]! - 1, starts[FIRST]! + 10]) {
    truncateSync(machine.path(LOG), length);
    await assert.rejects(visibleTexts(a), StoreFailure);
    assert.equal((await a.store.read.totals()).posts, 3);
    await assert.rejects(post(a, 'never'), StoreFailure);
    assert.deepEqual(readFileSync(machine.path(LOG)), bytes.subarray(0, length));
  }
});
