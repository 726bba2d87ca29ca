import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { readProject } from '#workspace/porch/porch.ts';
import { callOverMcp, NO_LIMITS, PROJECT, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { addRecord } from '../../../support/store/writes.ts';

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

test('a result has 2,000 notes, and nextAfter leads to the others', async (t) => {
  const { workspace, ids } = await withNotes(t, 2_001, 'x');
  const first = await readProject(workspace, { projectId: PROJECT }, {});
  assert.equal(first.notes.length, 2_000);
  const after = first.nextAfter ?? undefined;
  const rest = await readProject(workspace, { projectId: PROJECT, after }, {});
  assert.equal(rest.nextAfter, null);
  assert.deepEqual(
    [...first.notes, ...rest.notes].map(({ id }) => id),
    ids,
  );
});
