import assert from 'node:assert/strict';
import test from 'node:test';
import { importEntries } from '#commands/import-entries.ts';
import { CommandError } from '#commands/command.ts';
import type { ExportedRecord } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';
import { Machine, visibleTexts } from '../../support/store/machine.ts';
import { aPost } from '../../support/store/records.ts';
import { addRecord } from '../../support/store/writes.ts';

/** @returns posts with ascending timestamps, each a reply to the one before */
function chainOf(texts: readonly string[]): ExportedRecord<'post'>[] {
  let parentId: string | null = null;
  return texts.map((text, n) => {
    const record = {
      ...aPost(text, { parentId }),
      createdAt: `2020-01-01T00:00:00.${String(n).padStart(6, '0')}Z`,
    };
    parentId = record.id;
    return { kind: 'post', record };
  });
}

test('after a failed append no later entry of the import is stored, and a second import stores all', async (t) => {
  const { disk, store, ...process } = await new Machine(t).start();
  // Three appends of about one megabyte.
  const texts = Array.from({ length: 60 }, (_, n) => `${n}${'x'.repeat(50_000)}`);
  const entries = chainOf(texts);
  disk.failNext('append', 'ENOSPC', /^log/);
  const advanced: number[] = [];
  const advance = (by: number): number => advanced.push(by);
  await assert.rejects(importEntries(store, entries, advance), StoreFailure);
  assert.deepEqual(await visibleTexts({ disk, store, ...process }), []);
  assert.deepEqual(advanced, []);

  assert.deepEqual(await importEntries(store, entries, advance), { imported: 60, skipped: 0 });
  assert.deepEqual(advanced, [60]);
  assert.deepEqual(await visibleTexts({ disk, store, ...process }), texts);
  assert.equal((await store.read.find('post', entries[0]!.record.id))?.children, 1);
});

test('an entry whose createdAt another record has is refused by name of the next step', async (t) => {
  const process = await new Machine(t).start();
  const { record } = await addRecord(process.store, 'post', aPost('there'));
  const [entry] = chainOf(['imported']) as [ExportedRecord<'post'>];
  const conflicting = {
    kind: 'post',
    record: { ...aPost('conflict'), createdAt: record.createdAt },
  } as const;
  await assert.rejects(
    importEntries(process.store, [entry, conflicting]),
    (error) => error instanceof CommandError && error.message.includes('Run the command again'),
  );
  assert.deepEqual(await visibleTexts(process), ['imported', 'there']);
});
