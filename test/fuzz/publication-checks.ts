import assert from 'node:assert/strict';
import type { Store } from '#store/port/store.ts';
import { IDEA, PROJECT } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record in the response to a write. */
export interface Published extends Fields {
  readonly id: string;
  readonly duplicate: boolean;
}

/** @returns the record in the response to a write over REST or MCP; undefined for any other response */
export function publishedRecord({ status, text }: HttpResponse): Published | undefined {
  if (status !== 201 && !(status === 200 && text.includes('possibleDuplicateOf'))) return undefined;
  const body = JSON.parse(text) as { result?: { content?: [{ text: string }] } } & Fields;
  const result = body.result?.content?.[0].text;
  const record = status === 201 || result === undefined ? body : (JSON.parse(result) as Fields);
  return 'duplicate' in record ? (record as Published) : undefined;
}

/** Counts of everything that a request could add. */
export async function countRecords({ read }: Store): Promise<Record<string, number>> {
  const { posts, guests, projects } = await read.totals();
  const notes = (await read.find('project', PROJECT))?.children ?? 0;
  const replies = (await read.find('post', IDEA))?.children ?? 0;
  return { post: posts, guest: guests, project: projects, note: notes, replies };
}

/** A rejected or repeated write changes no count; an accepted one increments those of its kind and parent. */
export function checkCounts(
  before: Readonly<Record<string, number>>,
  after: typeof before,
  published: Published | undefined,
): void {
  const expected = { ...before };
  if (published?.duplicate === false) {
    const kind = published.id.split('_')[0]!;
    expected[kind]! += 1;
    if (published['parentId'] === IDEA) expected['replies']! += 1;
  }
  assert.deepEqual(after, expected);
}
