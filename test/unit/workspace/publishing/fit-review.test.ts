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
