import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitReview } from '#workspace/publishing/receipt.ts';

test('the receipt of a REVIEW leaves out open WORKs that do not fit', () => {
  const openUnderYourName = Array.from({ length: 5 }, (_, n) => ({
    id: `post_${n}`,
    title: 'x'.repeat(400),
    dueAt: '2026-03-02T00:00:00.000000Z',
  }));
  const shown = { refersTo: [], openUnderYourName, meanwhile: null };
  assert.equal(fitReview(shown).openUnderYourName?.length, 3);
  const wide = openUnderYourName.map((one) => ({ ...one, title: 'x'.repeat(1500) }));
  assert.deepEqual(fitReview({ ...shown, openUnderYourName: wide }).openUnderYourName, []);
});

test('a receipt has more in meanwhile only if rows of it do not fit', () => {
  const refersTo = Array.from({ length: 16 }, (_, n) => `post_${'0'.repeat(90)}${n}`);
  const quiet = { inThread: [], elsewhere: [], nextAfter: '2026-03-02T00:00:00.000000Z' };
  const cut = fitReview({ refersTo, meanwhile: quiet });
  assert.ok(cut.refersTo.length < refersTo.length);
  assert.deepEqual(cut.meanwhile, quiet);
  const inThread = Array.from({ length: 5 }, (_, n) => ({ id: `post_${n}`, title: 'x'.repeat(400) }));
  const news = { ...quiet, inThread, more: undefined };
  const busy = fitReview({ refersTo: [], meanwhile: news }).meanwhile;
  assert.deepEqual([busy.inThread.length, busy.more], [3, true]);
});
