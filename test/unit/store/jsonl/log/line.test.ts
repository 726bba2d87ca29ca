import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBody, identityOf } from '#store/jsonl/log/codec.ts';
import {
  bodyOf,
  claimedNumber,
  decodeLine,
  encodeLine,
  textSpan,
  withoutText,
  type Line,
  type StoredOperation,
} from '#store/jsonl/log/line.ts';

const SEED = 12345;
const PLACE = { at: 107, seq: 1, base: 0 };

const POST: StoredOperation = {
  add: 'post',
  by: 'abc.def',
  record: {
    id: 'post_1',
    message: 'größer "quoted" ,"createdAt":"2026-01-01T00:00:00.000000Z" \\ }},"sum":"00000000"}',
    prefix: 'IDEA',
    parentId: null,
    rootId: 'post_1',
    answers: ['post_0'],
    createdAt: '2026-11-21T10:49:32.123456Z',
  },
};

/** @returns the line without its checksum, which `decodeLine` has compared */
function decoded(line: Buffer): object | undefined {
  const { sum, ...rest } = decodeLine(line, SEED) as Line & { sum: string };
  assert.match(sum, /^[0-9a-f]{8}$/);
  return rest;
}

/** @returns the line without its line feed */
const lineOf = (stored: StoredOperation): Buffer =>
  encodeLine(PLACE, encodeBody(stored), SEED).subarray(0, -1);

test('a line is decoded to what was encoded, in its own segment only', () => {
  const line = lineOf(POST);
  assert.deepEqual(decoded(line), { ...PLACE, do: POST });
  assert.equal(decodeLine(line, SEED + 1), undefined);
  assert.equal(encodeLine(PLACE, bodyOf(line), SEED).subarray(0, -1).equals(line), true);
});

test('a line of which one byte differs, at any place, or that is cut anywhere, is none', () => {
  for (const seed of [SEED, 0, 2 ** 32 - 1]) {
    const line = encodeLine(PLACE, encodeBody(POST), seed).subarray(0, -1);
    assert.notEqual(decodeLine(line, seed), undefined);
    for (let index = 0; index < line.length; index++) {
      for (const flip of [0x01, 0x20, 0x80]) {
        const changed = Buffer.from(line);
        changed[index]! ^= flip;
        assert.equal(decodeLine(changed, seed), undefined, `byte ${index} of ${line.length}`);
      }
      assert.equal(decodeLine(line.subarray(0, index), seed), undefined);
      assert.equal(decodeLine(line.subarray(index + 1), seed), undefined);
    }
  }
});

test('without its text a line is valid, holds the id and the write entry, and nothing that was written', () => {
  const line = lineOf(POST);
  const { bytes, sum } = withoutText(line, textSpan(line), SEED);
  assert.equal(bytes.length, line.length);
  assert.deepEqual(decoded(bytes), {
    ...PLACE,
    do: {
      add: 'post',
      by: 'abc.def',
      record: {
        id: 'post_1',
        parentId: null,
        rootId: 'post_1',
        createdAt: '2026-11-21T10:49:32.123456Z',
      },
    },
  });
  for (const text of ['größer', 'IDEA', 'post_0', 'message']) assert.ok(!bytes.includes(text), text);
  assert.deepEqual(withoutText(bytes, textSpan(bytes), SEED), { bytes, sum });
});

test('every kind of record can be erased', () => {
  const createdAt = '2026-11-21T10:49:32.123456Z';
  const records: [string, Record<string, unknown>][] = [
    ['guest', { id: 'guest_1', name: 'secret', kind: null, note: 'secret', createdAt }],
    ['project', { id: 'project_1', title: 'secret', summary: 'secret', by: 'secret', url: null, createdAt }],
    ['note', { id: 'note_1', projectId: 'project_1', name: 'secret', note: 'secret', createdAt }],
  ];
  for (const [add, record] of records) {
    const line = lineOf({ add, record: record as StoredOperation & { id: string; createdAt: string } });
    const { bytes } = withoutText(line, textSpan(line), SEED);
    assert.ok(!bytes.includes('secret'), add);
    assert.ok(decodeLine(bytes, SEED) !== undefined, add);
  }
});

test('a piece with a wrong checksum still claims its number; other bytes claim none', () => {
  const line = lineOf(POST);
  line[line.length - 30] = 0;
  assert.equal(decodeLine(line, SEED), undefined);
  assert.equal(claimedNumber(line), 1);
  assert.equal(claimedNumber(Buffer.from('{"at":1,"seq":x')), undefined);
  assert.equal(claimedNumber(Buffer.alloc(100)), undefined);
});

test('operations are told apart without their texts and places', () => {
  const erase: StoredOperation = {
    moderate: 'erase',
    id: 'post_1',
    at: '2026-11-21T10:49:33.000000Z',
    reason: '',
  };
  const identities = [POST, erase, { turn: 'freeze', at: erase.at }].map(identityOf);
  assert.equal(new Set(identities).size, 3);
  const target = { log: 1, at: 107, length: 200, seq: 1, span: [1, 2] as const, sum: '00000000' };
  assert.equal(identityOf({ ...erase, line: target }), identityOf(erase));
});
