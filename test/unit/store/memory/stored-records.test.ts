import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Machine, post, visibleTexts, type Process } from '../../../support/store/machine.ts';
import { erase } from '../../../support/store/writes.ts';

const SECRET = 'a very private sentence';

/** Reads of a process that meet the blank text, since it has looked at the log right before the erase. */
const READS: Record<string, (reader: Process) => Promise<unknown[]>> = {
  'a page': ({ store }) => store.read.page('post', { order: 'newest', limit: 9 }),
  'a search': async ({ store }) =>
    (await store.read.feed({ words: ['sentence'] }, { limit: 9, maxCandidates: 99 })).items,
  threads: async ({ store }) => (await store.read.threads({ order: 'newest', limit: 9 })).items,
  history: async ({ store }) => {
    const found: unknown[] = [];
    for await (const entry of store.read.history()) if ('record' in entry) found.push(entry);
    return found;
  },
};

for (const [name, read] of Object.entries(READS))
  test(`${name}: a read during which another process erases a text begins again without it`, async (t) => {
    const machine = new Machine(t);
    const [reader, writer] = [await machine.start(), await machine.start()];
    const { record } = await post(writer, SECRET);
    await post(writer, 'a public sentence');
    assert.equal((await visibleTexts(reader)).length, 2);
    // A read looks at the log twice at most. Each time it finds a line, and the erase comes while it syncs that.
    await post(writer, 'a sentence');
    const first = reader.disk.stopBefore('sync', /^log/);
    const reading = read(reader);
    await first.arrived;
    await post(writer, 'another sentence');
    const second = reader.disk.stopBefore('sync', /^log/);
    first.release();
    await second.arrived;
    assert.equal(await erase(writer.store, record.id), true);
    second.release();
    const found = await reading;
    assert.doesNotMatch(JSON.stringify(found), /very private/);
    assert.equal(found.length, 3);
    assert.equal(await reader.store.read.find('post', record.id), undefined);
  });
