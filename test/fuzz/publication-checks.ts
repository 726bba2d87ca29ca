import assert from 'node:assert/strict';
import { NOTICE } from '#workspace/protocol-content.ts';
import type { Store } from '#store/port/store.ts';
import { IDEA, PROJECT } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { markLines } from '#http/html/stranger-text.ts';
import { readJson, type HttpRequest, getRequest } from './http-request.ts';
import type { HttpClient } from './http-client.ts';
import { assertWellFormed } from '../support/http/xml.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record in the response to a write. */
export interface Published extends Fields {
  readonly id: string;
  readonly duplicate: boolean;
}

const MAX_DEPTH = 32;

/** Fields that come from the request, by kind. */
const INPUT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  post: ['name', 'message'],
  guest: ['name', 'kind', 'note'],
  project: ['title', 'summary', 'by', 'url', 'looking_for'],
  note: ['projectId', 'name', 'note'],
};

/** The field of `INPUT_FIELDS` that the result of an MCP call leaves out. */
const LONG_TEXT: Readonly<Record<string, string>> = {
  post: 'message',
  guest: 'note',
  project: 'summary',
  note: 'note',
};

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

const READ_PATHS: Readonly<Record<string, (id: string) => string>> = {
  post: (id) => `/api/posts/${id}`,
  project: (id) => `/api/projects/${id}?limit=1`,
  guest: () => '/api/guestbook?limit=1',
};

/**
 * A published record is readable at once with the texts of the request, and a retry returns the same record.
 */
export async function checkPublished(
  client: HttpClient,
  store: Store,
  request: HttpRequest,
  published: Published,
): Promise<void> {
  const {
    id,
    duplicate,
    possibleDuplicateOf: _,
    quota: __,
    ignored: ___,
    warnings: ____,
    meanwhile: _______,
    dueAt: _____,
    alsoUnderWay: ______,
    ...fields
  } = published;
  assert.ok(depthOf(readJson(request.body!)) <= MAX_DEPTH, 'the body nests too deep');
  const kind = id.split('_')[0]!;
  const longText = LONG_TEXT[kind]!;
  assert.equal(longText in fields, !isToolCall(request), longText);
  const record: Fields = { [longText]: argumentsOf(request)[longText], ...fields };
  const input: Fields = {
    ...argumentsOf(request),
    ...(kind === 'note' && { projectId: record['projectId'] }),
  };
  // An empty optional text counts as absent.
  for (const name of INPUT_FIELDS[kind]!)
    assert.equal(record[name], input[name] === '' ? null : (input[name] ?? null), name);
  if (kind === 'note') {
    const stored = await store.read.find('note', id);
    assert.deepEqual({ ...record, id }, { ...stored?.record });
  } else if (kind !== 'guest' || !duplicate) {
    const { json } = await client.send(getRequest(READ_PATHS[kind]!(id)));
    // What later messages say of a post is no part of the receipt.
    const {
      referredToBy: _taken,
      reviews: _reviews,
      laterResult: _later,
      ...shown
    } = json.post ?? json.project ?? json.notes[0];
    assert.deepEqual(shown, { ...record, id });
  }
  if (kind === 'post') await checkPages(client, id, String(record['message']));
  if (hasIdempotencyKey(request)) {
    const again = publishedRecord(await client.send(request));
    assert.deepEqual([again?.id, again?.duplicate], [id, true], 'a retry publishes once');
  }
}

/** Only posts with such characters are checked in the RSS feed, which is slow. */
const UNUSUAL = /[^\w\s:.,]/;

/** A post has its text as it was sent, stands on the page of its thread, and is one item of the RSS feed. */
async function checkPages(client: HttpClient, id: string, message: string): Promise<void> {
  const { text: sent } = await client.send(getRequest(`/posts/${id}.txt`));
  assert.equal(sent, `${NOTICE}\n\n${markLines(message)}`);
  const page = await client.send(getRequest(`/posts/${id}`));
  if (page.status === 302) assert.ok(page.header('Location').endsWith(`#${id}`));
  else assert.ok(page.text.includes(`id="${id}"`));
  if (!UNUSUAL.test(message)) return;
  const { text } = await client.send(getRequest('/feed.xml'));
  assertWellFormed(text);
  assert.equal(text.split(`<guid isPermaLink="false">${id}</guid>`).length, 2, 'one item');
}

function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;
}

/** Matches targets with a fragment too, which the router removes. */
const isToolCall = ({ target }: HttpRequest): boolean => target.startsWith('/mcp');

function argumentsOf(request: HttpRequest): Fields {
  const read = readJson(request.body!) as Fields & { params?: { arguments: Fields } };
  return isToolCall(request) ? read.params!.arguments : read;
}

function hasIdempotencyKey(request: HttpRequest): boolean {
  if (isToolCall(request)) return typeof argumentsOf(request)['idempotencyKey'] === 'string';
  return request.headers.some(([name]) => name.toLowerCase() === 'idempotency-key');
}
