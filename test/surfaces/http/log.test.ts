import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ReadGate } from '#tool/read-gate.ts';
import type { HttpResponse } from '../../support/http/send-request.ts';
import {
  BEHIND_PROXY,
  forwardedFor,
  IDEA,
  setUp,
  UNKNOWN_UUID,
  visibleIds,
  type TestApp,
} from '../../support/http/test-app.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';
import { aPost } from '../../support/store/records.ts';
import { addPosts, erase } from '../../support/store/writes.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Line {
  n: number;
  add?: { id: string; createdAt: string; message?: string };
}

interface LogPage {
  header: { porchlight: string; newest?: number; at?: string };
  lines: Line[];
  end: { next: { after: number; id: string | null; at?: string }; more: boolean };
}

function parseLog({ status, text }: HttpResponse): LogPage {
  assert.equal(status, 200, text);
  assert.match(text, /\}\n$/);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { header: lines[0], lines: lines.slice(1, -1), end: lines.at(-1) };
}

const readLog = async (app: TestApp, query = ''): Promise<LogPage> =>
  parseLog(await app.request(`GET /api/log${query}`));

const behind = ({ end: { next } }: LogPage): string =>
  next.id === null ? '' : `?after=${next.after}&id=${next.id}&at=${next.at}`;

const engines = await setUpEngines({ after });

for (const app of engines) {
  describe(`the log, ${app.engine}`, () => {
    it('has every public record, and names its last line', async () => {
      const page = await readLog(app);
      const records = new Map(page.lines.map(({ add }) => [add!.id, add]));
      assert.deepEqual([...records.keys()].sort(), (await visibleIds(app.store)).sort());
      assert.equal(page.header.porchlight, 'log');
      assert.equal(page.header.at, '2026-03-02T16:00:00.000000Z');
      const { n, add } = page.lines.at(-1)!;
      assert.deepEqual(page.end, { next: { after: n, id: add!.id, at: add!.createdAt }, more: false });
      const { record } = (await app.store.read.find('post', IDEA))!;
      const { prefix: _, ...fields } = record;
      assert.deepEqual(records.get(IDEA), fields);
    });

    it('refuses a line that it does not have with 409', async () => {
      const { end } = await readLog(app);
      const wrong = [
        `after=${end.next.after}&id=post_${UNKNOWN_UUID}`,
        `after=${end.next.after + 1}&id=${end.next.id}`,
        `after=${Number.MAX_SAFE_INTEGER}&id=${IDEA}`,
        `after=${end.next.after}&id=${end.next.id}&at=2020-01-01T00:00:00.000000Z`,
      ];
      for (const query of wrong) {
        const { status, json, headers } = await app.request(`GET /api/log?${query}`);
        assert.deepEqual([status, json.code], [409, 'log_changed'], query);
        assert.equal(headers['cache-control'], 'no-store');
      }
    });

    it('says how to fix a call with an argument that no page has given', async () => {
      const number = 'after must be a whole number: take it from next.after of the last page.';
      const both =
        'id is required with after and at: copy all three from next of the last page, or leave them out.';
      const sent: [query: string, detail: string][] = [
        ['after=x', number],
        ['after=-1', number],
        ['after=1.5', number],
        ['after=5&id=nonsense', 'id must be the id of a record.'],
        ['after=5', both],
        [`id=${IDEA}`, both],
        ['at=2020-01-01T00:00:00.000000Z', both],
      ];
      for (const [query, detail] of sent) {
        const { status, json } = await app.request(`GET /api/log?${query}`);
        assert.deepEqual([status, json.code, json.detail], [422, 'invalid_request', detail], query);
      }
    });

    it('a page has 1,000 lines or 1 MB, and the next one continues', async () => {
      const start = await readLog(app);
      const long = Array.from({ length: 150 }, (_, n) => aPost(`${n} ${'漢'.repeat(3000)}`));
      const short = Array.from({ length: 1100 }, (_, n) => aPost(`short ${n}`));
      await addPosts(app.store, [...long, ...short]);
      const ids: string[] = [];
      for (let page = start; ; ) {
        const response = await app.request(`GET /api/log${behind(page)}`);
        page = parseLog(response);
        assert.ok(Buffer.byteLength(response.text) <= 1_000_000);
        assert.ok(page.lines.length <= 1000);
        ids.push(...page.lines.map(({ add }) => add!.id));
        if (!page.end.more) break;
        assert.ok(page.lines.length === 1000 || Buffer.byteLength(response.text) > 980_000);
      }
      const expected = [...long, ...short].map(({ id }) => id);
      assert.deepEqual(ids, expected);
    });
  });
}

it('a page that others follow is the same for every reader, so that a cache may share it', async (t) => {
  const app = await setUp(t);
  await addPosts(
    app.store,
    Array.from({ length: 1100 }, (_, n) => aPost(`${n}`)),
  );
  const first = await app.request('GET /api/log');
  assert.equal(parseLog(first).end.more, true);
  assert.deepEqual(parseLog(first).header, { porchlight: 'log' });
  assert.equal(first.headers['cache-control'], 'public, max-age=60, stale-while-revalidate=0');
  await addPosts(app.store, [aPost('later')]);
  const again = await app.request('GET /api/log', { headers: { 'If-None-Match': first.headers.etag! } });
  assert.deepEqual([again.status, again.text], [304, '']);
  await erase(app.store, parseLog(first).lines[0]!.add!.id);
  const changed = await app.request('GET /api/log', { headers: { 'If-None-Match': first.headers.etag! } });
  assert.equal(changed.status, 200);
});

it('the last page is not cached, and takes no other argument', async (t) => {
  const app = await setUp(t);
  const response = await app.request('GET /api/log');
  assert.equal(response.headers['cache-control'], 'no-store');
  assert.equal(response.headers['content-type'], 'application/x-ndjson; charset=utf-8');
  const { n } = (await readLog(app)).lines[0]!;
  const bad = ['after=1e99', `after=0&id=${IDEA}`, `after=${n}&id=`, `after=${n}&after=${n}&id=${IDEA}`];
  for (const query of [...bad, `after=${n}&id=post_${'1'.repeat(100)}`, 'limit=5']) {
    const { status, json } = await app.request(`GET /api/log?${query}`);
    assert.deepEqual([status, json.code], [422, 'invalid_request'], query);
  }
});

it('other reads go on while pages of the log for many networks are under way', async (t) => {
  const gate = new ReadGate({ atOnce: 2 });
  const { request, store } = await setUp(t, {}, { ...BEHIND_PROXY, gate });
  const { log } = store.read;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  Object.assign(store.read, {
    log: async (...args: Parameters<typeof log>) => {
      await released;
      return log(...args);
    },
  });
  const pages = [1, 2, 3, 4].map((n) => request('GET /api/log', { headers: forwardedFor(`203.0.113.${n}`) }));
  await waitUntil(() => gate.counts.running + gate.counts.waiting === pages.length);
  const search = await request('GET /api/feed?q=leaflet', { headers: forwardedFor('198.51.100.1') });
  assert.equal(search.status, 200);
  assert.deepEqual([gate.counts.running, gate.counts.waiting], [1, 3]);
  release();
  for (const { status } of await Promise.all(pages)) assert.equal(status, 200);
});

it('escapes the line breaks of Unicode, at which readers of lines cut', async (t) => {
  const app = await setUp({ after: (close) => t.after(close) }, { empty: true });
  const message = 'a\u2028b\u2029c\u0085d';
  await app.request('POST /api/feed', { body: { message } });
  const response = await app.request('GET /api/log');
  assert.doesNotMatch(response.text, /[\u0085\u2028\u2029]/);
  assert.equal(parseLog(response).lines[0]?.add?.message, message);
});
