import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { readProject } from '#workspace/porch/porch.ts';
import { callOverMcp, NO_LIMITS, PROJECT, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { addRecord } from '../../../support/store/writes.ts';
import { firstOf, thoroughTest } from '../../../support/thorough.ts';
import { countTurns } from '../../../support/turns.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** A test server whose first project has `count` more notes. */
async function withNotes(t: TestContext, count: number, note: string): Promise<TestApp & { ids: string[] }> {
  const setting = await setUp(t, { limits: NO_LIMITS });
  const notes = Array.from({ length: count }, (_, n) => {
    const id = `note_${String(n).padStart(8, '0')}`;
    return addRecord(setting.store, 'note', { id, projectId: PROJECT, name: 'a test', note });
  });
  await Promise.all(notes);
  const page = await setting.store.read.page('note', { order: 'oldest', within: PROJECT, limit: 100_000 });
  return { ...setting, ids: page.map(({ record }) => record.id) };
}

thoroughTest('read_project stays below 8 MiB, and nextAfter leads to every note once', async (t) => {
  const { request, ids } = await withNotes(t, 4_500, '\u{1F3EE}'.repeat(1000));
  const seen: string[] = [];
  let query = '';
  let pages = 0;
  do {
    const { status, text, json } = await request(`GET /api/projects/${PROJECT}${query}`);
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(text) < MAX_BYTES, `${text.length} characters`);
    seen.push(...json.notes.map(({ id }: { id: string }) => id));
    if (json.nextAfter !== null) {
      assert.ok(Buffer.byteLength(text) > MAX_BYTES * 0.97, 'every page but the last is nearly full');
      assert.equal(json.nextAfter, json.notes.at(-1).createdAt);
    }
    query = json.nextAfter === null ? '' : `?after=${json.nextAfter}`;
    pages += 1;
  } while (query !== '' && pages < 10);
  assert.equal(pages, 3);
  assert.deepEqual(seen, ids);
});

test('over MCP read_project ends at the text budget, and following nextAfter returns every note once', async (t) => {
  const setting = await withNotes(t, 2_500, 'x'.repeat(30));
  const first = await callOverMcp(setting, 'read_project', { projectId: PROJECT });
  const characters = first.notes.reduce(
    (sum: number, { name, note }: { name: string; note: string }) => sum + name.length + note.length,
    0,
  );
  assert.ok(characters >= 40_000 && characters < 40_100, `${characters} characters`);
  const second = await callOverMcp(setting, 'read_project', { projectId: PROJECT, after: first.nextAfter });
  const third = await callOverMcp(setting, 'read_project', { projectId: PROJECT, after: second.nextAfter });
  assert.equal(third.nextAfter, null);
  const given = [first, second, third].flatMap(({ notes }) => notes.map(({ id }: { id: string }) => id));
  assert.deepEqual(given, setting.ids);
});

for (const count of firstOf([1_001, 999, 1_000, 2_000, 2_001])) {
  test(`${count} short notes are returned in one answer, across the reads of the store`, async (t) => {
    const { workspace, ids } = await withNotes(t, count, 'x');
    const { notes, nextAfter } = await readProject(workspace, { projectId: PROJECT }, {});
    assert.deepEqual([notes.length, nextAfter], [ids.length, null]);
    const [one, next] = await Promise.all(
      [count - 1, count + 500].map((limit) => readProject(workspace, { projectId: PROJECT, limit }, {})),
    );
    assert.deepEqual([one!.notes.length, one!.nextAfter], [count - 1, one!.notes.at(-1)!.createdAt]);
    assert.equal(next!.nextAfter, null);
  });
}

test('a long project is read in several turns of the event loop', async (t) => {
  const { workspace } = await withNotes(t, 600, 'x');
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 100));
  const turns = countTurns(t);
  await readProject(workspace, { projectId: PROJECT }, {});
  assert.ok(turns() > 10, `${turns()} turns`);
});
