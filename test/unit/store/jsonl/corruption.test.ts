import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { encodeLine } from '#store/jsonl/log/record.ts';
import { StoreFailure } from '#store/store.ts';
import { Machine, post, visibleTexts } from '../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

/** A log of a header and three lines. */
interface Log {
  readonly bytes: Buffer;
  readonly lines: readonly Buffer[];
  /** Byte offsets of the lines. */
  readonly starts: readonly number[];
}

const join = (...pieces: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

const flip = (bytes: Buffer, at: number): Buffer =>
  Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));

const NOTHING = '"do":[]';

/**
 * Invalid bytes after the last line, by description. The log before them has `size` bytes and ends with line
 * 3.
 */
const BEHIND: Record<string, (size: number) => Buffer | string> = {
  'a bare line feed': () => '\n',
  'a line of garbage': () => 'garbage\n',
  'a line that is JSON but no record': () => 'null\n',
  'zeros and a line feed': () => `${'\0'.repeat(500)}\n`,
  'a line with a bad checksum': (size) => flip(encodeLine(size, 4, 3, NOTHING), 5),
  'a record whose writer had read lines that are missing': (size) => encodeLine(size, 6, 5, NOTHING),
  'an ignored record whose writer had read lines that are missing': (size) =>
    encodeLine(size - 10, 6, 5, NOTHING),
  'a record at its expected offset with a gap in the line numbers': (size) => encodeLine(size, 5, 3, NOTHING),
  'a record after a torn write, at the offset that its writer expected': (size) =>
    join('frag', encodeLine(size + 4, 4, 3, NOTHING)),
  'an ignored record after a torn write, whose writer had read lines that are missing': (size) =>
    join('frag', encodeLine(size, 6, 5, NOTHING)),
  'a valid checksum of invalid JSON': (size) => encodeLine(size, 4, 3, 'nonsense'),
};

const WITHIN: Record<string, (log: Log) => [bytes: Buffer, at: number]> = {
  'an empty log': () => [Buffer.alloc(0), 0],
  'a log that holds null': () => [Buffer.from('null'), 0],
  'a log without its header': ({ bytes, starts }) => [bytes.subarray(starts[1]), 0],
  'half a header': ({ bytes }) => [bytes.subarray(0, 20), 0],
  'a header of a later format': ({ bytes, starts }) => [
    join(encodeLine(0, 0, 0, '"log":{"format":2}'), bytes.subarray(starts[1])),
    0,
  ],
  'a flipped bit': ({ bytes, starts }) => [flip(bytes, starts[2]! + 30), starts[2]!],
  'a flipped line feed': ({ bytes, starts }) => [flip(bytes, starts[2]! - 1), starts[1]!],
  'a line cut out': ({ lines, starts }) => [join(lines[0]!, lines[1]!, lines[3]!), starts[2]!],
  'a hole of zeros': ({ bytes, starts }) => [
    join(bytes.subarray(0, starts[2]), Buffer.alloc(50), bytes.subarray(starts[2]! + 50)),
    starts[2]!,
  ],
  'an inserted line': ({ lines, starts }) => [join(lines[0]!, '#\n', ...lines.slice(1)), starts[2]! + 2],
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
  return { bytes, lines, starts: lines.map((_, index) => join(...lines.slice(0, index)).length) };
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

for (const [description, tail] of Object.entries(BEHIND)) {
  test(`${description}: the start rejects; a running process rejects writes and serves reads`, async (t) => {
    const machine = new Machine(t);
    const { length } = (await makeLog(machine)).bytes;
    const a = await machine.start();
    appendFileSync(machine.path(LOG), tail(length));
    const before = machine.files();
    const refusal = (error: unknown): boolean => error instanceof StoreFailure && error.stored === 'nothing';
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await visibleTexts(a), ['1', '2', '3']);
      await assert.rejects(post(a, 'never'), refusal);
      assert.deepEqual(await a.store.health(), { writable: false, reason: 'the store is damaged' });
    }
    assert.equal(a.reports.length, 1);
    assert.ok(a.reports[0]?.includes(`${machine.path(LOG)} at byte ${length}:`));
    assert.deepEqual(machine.files(), before);
    await refuses(machine, length);
  });
}

test('a process rejects writes if the log that it has open becomes shorter', async (t) => {
  const machine = new Machine(t);
  const { bytes } = await makeLog(machine);
  const a = await machine.start();
  truncateSync(machine.path(LOG), bytes.length - 1);
  assert.deepEqual(await visibleTexts(a), ['1', '2', '3']);
  await assert.rejects(post(a, 'never'), StoreFailure);
  assert.deepEqual(readFileSync(machine.path(LOG)), bytes.subarray(0, -1));
});
