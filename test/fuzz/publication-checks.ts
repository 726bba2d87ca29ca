import assert from 'node:assert/strict';
import escapeHtml from 'escape-html';
import type { Store } from '#store/store.ts';
import { IDEA, PROJECT } from '../support/http/test-app.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import { readJson, type Sending } from './requests.ts';
import { OWN_HOST } from './headers.ts';
import type { Wire } from './http-client.ts';
import { assertWellFormed } from './xml.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record as the answer to a write tells of it. */
export interface Published extends Fields {
  readonly id: string;
  readonly duplicate: boolean;
}

const MOST_LEVELS = 32;

/** What visitors write themselves. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  post: ['message'],
  guest: ['name', 'kind', 'note'],
  project: ['title', 'summary', 'by', 'url', 'looking_for'],
  note: ['projectId', 'name', 'note'],
};

/** @returns the record that a write, through either door, was answered with. */
export function publishedIn({ status, text }: HttpResponse): Published | undefined {
  if (status !== 201 && !(status === 200 && text.includes('"possibleDuplicateOf":'))) return undefined;
  const body = JSON.parse(text) as { result?: { structuredContent?: Fields } } & Fields;
  const record = status === 201 ? body : body.result?.structuredContent;
  return record !== undefined && 'duplicate' in record ? (record as Published) : undefined;
}

/** Counts of all that a request could add to. */
export async function countsOf({ read }: Store): Promise<Record<string, number>> {
  const { posts, guests, projects } = await read.totals();
  const notes = (await read.find('project', PROJECT))?.children ?? 0;
  const replies = (await read.find('post', IDEA))?.children ?? 0;
  return { post: posts, guest: guests, project: projects, note: notes, replies };
}

/** A refused or repeated write changes nothing; one that was taken is one more. */
export function judgeCounts(
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

const READ: Readonly<Record<string, (id: string) => string>> = {
  post: (id) => `/api/posts/${id}`,
  project: (id) => `/api/projects/${id}?limit=1`,
  guest: () => '/api/guestbook?limit=1',
};

const at = (target: string): Sending => ({ method: 'GET', target, headers: [OWN_HOST], body: undefined });

/** What was published is there at once, as it was sent, and a retry finds the same. */
export async function judgePublished(
  wire: Wire,
  store: Store,
  sending: Sending,
  published: Published,
): Promise<void> {
  const { id, duplicate, possibleDuplicateOf: _, ...record } = published;
  assert.ok(depthOf(readJson(sending.body!)) <= MOST_LEVELS, 'it nests too deep to be read');
  const kind = id.split('_')[0]!;
  const sent: Fields = {
    ...argumentsOf(sending),
    ...(kind === 'note' && { projectId: record['projectId'] }),
  };
  // An empty optional text counts as absent.
  for (const name of WRITTEN[kind]!)
    assert.equal(record[name], sent[name] === '' ? null : (sent[name] ?? null), name);
  if (kind === 'note') {
    const kept = await store.read.find('note', id);
    assert.deepEqual({ ...record, id }, { ...kept?.record });
  } else if (kind !== 'guest' || !duplicate) {
    const { json } = await wire.send(at(READ[kind]!(id)));
    assert.deepEqual(json.post ?? json.project ?? json.notes[0], { ...record, id });
  }
  if (kind === 'post') await judgePages(wire, id, String(record['message']));
  if (hasKey(sending)) {
    const again = publishedIn(await wire.send(sending));
    assert.deepEqual([again?.id, again?.duplicate], [id, true], 'a retry publishes once');
  }
}

/** Worth to be looked at in the feed too, which costs more. */
const UNUSUAL = /[^\w\s:.,]/;

/** A post is text on its page, whatever it holds, and one item of the feed. */
async function judgePages(wire: Wire, id: string, message: string): Promise<void> {
  const page = await wire.send(at(`/posts/${id}`));
  const [, shown] = /<pre class="message"[^>]*>\n?([\s\S]*?)<\/pre>/.exec(page.text) ?? [];
  assert.equal(shown, escapeHtml(message));
  if (!UNUSUAL.test(message)) return;
  const { text } = await wire.send(at('/feed.xml'));
  assertWellFormed(text);
  assert.equal(text.split(id).length, 3, 'its guid and its link');
}

function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;
}

/** Also where a fragment follows the path, which no client sends: the router drops it. */
const isToolCall = ({ target }: Sending): boolean => target.startsWith('/mcp');

function argumentsOf(sending: Sending): Fields {
  const read = readJson(sending.body!) as Fields & { params?: { arguments: Fields } };
  return isToolCall(sending) ? read.params!.arguments : read;
}

function hasKey(sending: Sending): boolean {
  if (isToolCall(sending)) return typeof argumentsOf(sending)['idempotencyKey'] === 'string';
  return sending.headers.some(([name]) => name.toLowerCase() === 'idempotency-key');
}
