import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LINE_BYTES } from '#store/jsonl/log/line.ts';
import { readPieces } from '#store/jsonl/log/read-pieces.ts';

/** A file whose reads return at most `most` bytes. */
function fileOf(text: string, most = Infinity): Parameters<typeof readPieces>[0] {
  const bytes = Buffer.from(text);
  return {
    size: () => bytes.length,
    read: async (into, at) => bytes.copy(into, 0, at, Math.min(bytes.length, at + most)),
  };
}

async function piecesOf(text: string, most?: number, from = 0): Promise<[number, string | number][]> {
  const pieces: [number, string | number][] = [];
  await readPieces(fileOf(text, most), from, ({ at, bytes, length }) => {
    pieces.push([at, bytes?.toString() ?? length]);
    return true;
  });
  return pieces;
}

test('pieces end at line feeds, however the file is read; a fragment at the end is none', async () => {
  for (const most of [Infinity, 1, 3])
    assert.deepEqual(await piecesOf('one\n\nthree\nfrag', most), [
      [0, 'one'],
      [4, ''],
      [5, 'three'],
    ]);
  assert.deepEqual(await piecesOf('one\ntwo\n', undefined, 4), [[4, 'two']]);
});

test('a piece that is too long is skipped, and the next one is found', async () => {
  const long = 'x'.repeat(5 * 1024 * 1024);
  assert.deepEqual(await piecesOf(`${long}\nnext\n`), [
    [0, long.length],
    [long.length + 1, 'next'],
  ]);
  const longest = 'x'.repeat(MAX_LINE_BYTES);
  assert.deepEqual(await piecesOf(`${longest}\n`), [[0, longest]]);
});

test('a small chunk is read at once, as long as it holds a whole piece', async () => {
  const { size, read } = fileOf(`${'x'.repeat(100)}\n`.repeat(1000));
  const lengths: number[] = [];
  const file = {
    size,
    read: (into: Buffer, at: number): Promise<number> => {
      lengths.push(into.length);
      return read(into, at);
    },
  };
  await readPieces(file, 0, () => false, 150, 0);
  assert.deepEqual(lengths, [300]);
});

test('a large file is read in chunks of half a megabyte, so that the event loop has a turn after each', async () => {
  const { size, read } = fileOf(`${'x'.repeat(499)}\n`.repeat(4000));
  let visited = 0;
  const visitedAtRead: number[] = [];
  const file = {
    size,
    read: (into: Buffer, at: number): Promise<number> => {
      visitedAtRead.push(visited);
      return read(into, at);
    },
  };
  await readPieces(file, 0, () => {
    visited += 1;
    return true;
  });
  assert.deepEqual(visitedAtRead, [0, 1048, 2096, 3144]);
});
