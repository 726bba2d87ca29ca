import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, setUp, UNKNOWN_UUID } from '../../support/http/test-app.ts';
import { runReports } from '../../support/reports.ts';
import { sendRequest } from '../../support/http/send-request.ts';

const REPLY = 'post_019c9a31-6400-7000-8000-000000000004';
const GUEST = 'guest_019c9a31-6400-7000-8000-000000000005';

const OWN = 'http://porchlight.test';
const accessPolicy = { allowedHosts: null, allowedOrigins: [OWN], isLocal: false };
const app = await setUp(
  { after },
  { contact: 'mail@example.org', limits: { reportsPerHour: 0 } },
  { accessPolicy },
);

const send = (body: string, headers: Record<string, string> = {}, url = app.url) =>
  sendRequest(url, 'POST /report', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html', ...headers },
    body,
  });

const form = (id = IDEA, reason = 'spam'): string => new URLSearchParams({ id, reason }).toString();

describe('the form of /report', () => {
  it('is a form without script for a visible record, which no index lists', async () => {
    const page = await app.request(`GET /report?id=${IDEA}`);
    assert.equal(page.status, 200);
    assert.equal(page.headers['referrer-policy'], 'same-origin');
    assert.match(page.text, /<meta name="robots" content="noindex, follow">/);
    assert.match(page.text, /<form method="post" action="\/report">/);
    assert.equal(page.text.match(/<input type="radio" name="reason"/g)?.length, 6);
    assert.match(
      page.text,
      /What is wrong with this IDEA\?<\/p>\n<p class="byline">.*<\/p>\n<p dir="auto"><a [^>]*>one checked list of when/,
    );
    const [{ id: guest }] = (await app.request('GET /api/guestbook')).json.notes;
    const note = await app.request(`GET /report?id=${guest}`);
    assert.match(
      note.text,
      /with this note\?<\/p>\n<p class="byline"><span class="name"><bdi>[^<]+<\/bdi><\/span><\/p>/,
    );
    assert.match(page.text, /mail@example\.org/);
    assert.doesNotMatch(page.text, /<script/);
    assert.equal((await app.request(`GET /posts/${IDEA}`)).headers['referrer-policy'], 'no-referrer');
    assert.equal((await app.request(`GET /report?id=post_${UNKNOWN_UUID}`)).status, 404);
    assert.equal((await app.request('GET /report')).status, 422);
    assert.equal((await app.request('PUT /report')).headers['allow'], 'GET, HEAD, POST, OPTIONS');
  });

  it('is linked where a record is shown whole, and not in lists of its beginning', async () => {
    const { post, replies } = (await app.request(`GET /api/posts/${REPLY}?whole=true`)).json;
    assert.ok(replies.length > 0);
    const project = (await app.request('GET /api/projects')).json.projects[0].id;
    for (const [path, id] of [
      [`/posts/${post.id}`, post.id],
      [`/posts/${post.id}`, replies[0].id],
      ['/guestbook', (await app.request('GET /api/guestbook')).json.notes[0].id],
      [`/projects/${project}`, project],
    ])
      assert.match(
        (await app.request(`GET ${path}`)).text,
        new RegExp(`href="/report\\?id=${id}">report(<span class="[^"]+"> #\\d+</span>)?</a>`),
      );
    for (const path of ['/', '/feed', '/work', '/projects'])
      assert.doesNotMatch((await app.request(`GET ${path}`)).text, /\/report\?id=/);
  });

  it('reports, from a browser of this service and from one that sends no Origin, and shows the same page again', async () => {
    const first = await send(form(), { Origin: OWN, 'Sec-Fetch-Site': 'same-origin' });
    assert.equal(first.status, 201);
    assert.equal(first.headers['cache-control'], 'no-store');
    assert.match(first.text, /The operator has received your report/);
    assert.match(first.text, new RegExp(`<a href="${OWN}/posts/${IDEA}">Back to what you reported</a>`));
    assert.equal((await send(form())).text, first.text);
    assert.match(await runReports(app), new RegExp(`^${IDEA} {2}1 network {2}spam 1`));
  });

  it('is refused from pages of other origins, also if every origin may write', async (t) => {
    const open = await setUp(t, {}, { accessPolicy: { ...accessPolicy, allowedOrigins: null } });
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: OWN, 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ])
      for (const url of [app.url, open.url])
        assert.equal(
          (await send(form(), headers as Record<string, string>, url)).status,
          403,
          JSON.stringify(headers),
        );
    assert.equal((await send(form(), { Origin: OWN }, open.url)).status, 201);
  });

  it('takes at most 1 KB of a form, and nothing else', async () => {
    assert.equal((await send(`${form()}&x=${'x'.repeat(1024)}`)).status, 413);
    assert.equal((await send('{}', { 'Content-Type': 'application/json' })).status, 415);
    assert.equal((await send('')).status, 422);
    assert.equal((await send(form(IDEA, 'because'))).status, 422);
    assert.equal((await send(form(GUEST.replace(/5$/, 'x')))).status, 404);
    assert.equal((await send(`${form()}&id=__proto__&__proto__=x`)).status, 404);
  });
});
