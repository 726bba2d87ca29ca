import assert from 'node:assert/strict';
import { endianness } from 'node:os';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { decodeRows, encodeRows, type RowsFile } from '#store/jsonl/rows/rows-codec.ts';
import { toTimeKey } from '#store/memory/columns/time-key.ts';

const time = toTimeKey('2026-11-21T10:49:32.123456Z');

/** @param lines of a file, each of which names the first one */
function aRowsFile(lines: number): RowsFile {
  const numbers = Array.from({ length: lines }, (_, n) => n);
  return {
    log: 3,
    seed: 4_000_000_000,
    from: 17,
    count: lines,
    sum: '0123abcd',
    dead: [{ at: 5, length: 2, isBlank: true }],
    rows: {
      kinds: Uint8Array.from(numbers, (n) => n % 5),
      prefixes: Uint8Array.from(numbers, (n) => n % 3),
      prefixNames: [null, 'IDEA', 'Ö "\n'],
      times: Float64Array.from(numbers, () => time),
      uuids: Int32Array.from({ length: 4 * lines }, (_, n) => n - 2 ** 31),
      parents: Int32Array.from(numbers, () => 17),
      roots: Int32Array.from(numbers, () => 17),
      statedDues: Float64Array.from(numbers, (n) => (n % 2 === 0 ? NaN : n)),
      names: Float64Array.from(numbers, (n) => (n % 2 === 0 ? n : NaN)),
      referenceEnds: Int32Array.from(numbers, (n) => n),
      references: Int32Array.from(numbers, (n) => (n % 2 === 0 ? 17 : -1)),
      namedUuids: Int32Array.from([1, 2, 3, 4]),
    },
    offsets: Float64Array.from(numbers, (n) => 2 ** 40 + n),
    lengths: Int32Array.from(numbers, (n) => 400 + n),
    signed: Uint8Array.from(numbers, (n) => n % 2),
  };
}

/** @returns a copy with a buffer of its own, as a file is read */
const read = (bytes: Uint8Array): RowsFile | undefined => decodeRows(new Uint8Array(bytes).buffer);

/** @returns the bytes with a checksum that fits */
function withSum(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(crc32(copy.subarray(0, -4)), copy.length - 4);
  return copy;
}

test('a file of rows decodes to what was encoded, and encodes to the same bytes', () => {
  for (const lines of [0, 1, 2, 3, 8, 100]) {
    const file = aRowsFile(lines);
    const decoded = read(encodeRows(file));
    assert.deepEqual(decoded, file);
    assert.deepEqual(encodeRows(decoded), encodeRows(file));
  }
});

test('a file of rows that is cut off or longer is refused, wherever it ends', () => {
  const bytes = encodeRows(aRowsFile(3));
  for (let end = 0; end < bytes.length; end++)
    assert.equal(read(bytes.subarray(0, end)), undefined, `${end}`);
  assert.equal(read(Buffer.concat([bytes, Buffer.alloc(1)])), undefined);
  assert.equal(read(Buffer.concat([bytes, bytes])), undefined);
});

test('a file of rows with any bit flipped is refused', () => {
  const bytes = encodeRows(aRowsFile(2));
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(read(flipped), undefined, `bit ${bit}`);
  }
});

test('a file of rows of another version or of a machine with another order of bytes is refused', () => {
  const bytes = encodeRows(aRowsFile(2));
  const replaced = (from: string, to: string): Buffer =>
    withSum(Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1'));
  assert.notEqual(read(withSum(bytes)), undefined);
  assert.equal(read(replaced('porchlight rows 1\n', 'porchlight rows 0\n')), undefined);
  const order = endianness();
  assert.equal(read(replaced(`"${order}"`, order === 'LE' ? '"BE"' : '"LE"')), undefined);
});

test('a file of rows that no index can take in is refused', () => {
  const unusable: ((rows: RowsFile['rows']) => void)[] = [
    (rows) => (rows.kinds[1] = 5),
    (rows) => (rows.times[1] = NaN),
    (rows) => (rows.times[1] = Infinity),
    (rows) => (rows.times[1] = toTimeKey('9999-12-31T23:59:59.999999Z') * (1 + Number.EPSILON)),
    (rows) => (rows.times[1] = -1),
    (rows) => (rows.referenceEnds[1] = 4),
  ];
  for (const change of unusable) {
    const file = aRowsFile(3);
    change(file.rows);
    assert.equal(read(encodeRows(file)), undefined, String(change));
  }
});
