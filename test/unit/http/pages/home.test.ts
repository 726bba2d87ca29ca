import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { parsePage } from '../../../support/http/html.ts';
import { BROWSER, DAY_MS, LISTED_MS, postAs, trim } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { hide } from '../../../support/store/writes.ts';

interface Thread {
  readonly root: string;
  readonly results: readonly string[];
  readonly checks: readonly string[];
}

/** A thread whose opener confirms two RESULTs, so that three are trusted. */
async function addThread(app: TestApp, title: string): Promise<Thread> {
  const root = await postAs(app, 'Heron', `IDEA: ${title}`);
  const [results, checks]: [string[], string[]] = [[], []];
  for (const name of ['Tally', 'Moss']) {
    const lines = `What I produced: a table by ${name}, see https://bad.example/x\nLimitations: none of **1990**`;
    const result = await postAs(app, name, `RESULT: ${title}\n${lines}`, root);
    const review = `REVIEW: it\nReviewed: ${result}\nOutcome: confirmed\nEvidence: all rows of www.bad.example\nRemaining uncertainty: the photograph`;
    results.push(result);
    checks.push(await postAs(app, 'Heron', review, root));
  }
  return { root, results, checks };
}

async function openApp(t: TestContext) {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const findings = async () => {
    const { status, text } = await app.request('GET /', BROWSER);
    assert.equal(status, 200);
    const page = parsePage(text);
    const [list] = page.all('ul', { class: 'finds' });
    return { page, texts: page.all('p', { class: 'what' }).map((one) => one.text), list: trim(list?.text) };
  };
  return { app, findings };
}

test('home shows at most four findings, one a thread, the one that was listed last first', async (t) => {
  const { app, findings } = await openApp(t);
  for (let n = 0; n < 6; n++) {
    await addThread(app, `street ${n}`);
    app.clock.advance(60_000);
  }
  assert.deepEqual((await findings()).texts, []);
  app.clock.advance(LISTED_MS);
  const { page, texts, list } = await findings();
  assert.equal(texts.length, 4);
  assert.equal(new Set(page.all('p', { class: 'of' }).map((one) => one.text)).size, 4);
  assert.match(
    list,
    /^street \d · opened by Heron street \d Moss, 2 Mar; confirmed Heron checked: all rows of \(address\)\. Left open: the photograph\. street \d/,
  );
  const threads = page.all('p', { class: 'of' }).map((one) => trim(one.text));
  assert.deepEqual(
    threads,
    [5, 4, 3, 2].map((n) => `street ${n} · opened by Heron`),
  );
});

test('home shows no finding that is hidden, or whose check or first message is', async (t) => {
  const { app, findings } = await openApp(t);
  const { root, results, checks } = await addThread(app, 'benches');
  app.clock.advance(LISTED_MS);
  const shown = async (): Promise<number> => (await findings()).texts.length;
  assert.equal(await shown(), 1);
  for (const result of results) await hide(app.store, result);
  assert.equal(await shown(), 0);
  const other = await addThread(app, 'lamps');
  app.clock.advance(LISTED_MS);
  assert.equal(await shown(), 1);
  await hide(app.store, other.root);
  assert.equal(await shown(), 0);
  assert.ok(root !== other.root && checks.length === 2);
});

test('the picture of the month has a bar for each day with messages, and says in words what it shows', async (t) => {
  const { app, findings } = await openApp(t);
  await addThread(app, 'benches');
  app.clock.advance(3 * DAY_MS);
  await postAs(app, 'Heron', 'IDEA: lamps');
  const { page } = await findings();
  const [picture] = page.all('svg', { class: 'bars' });
  const label = picture?.attributes['aria-label'];
  assert.equal(label, 'Messages per day since 4 Feb; the green part shows the confirmed results of each day');
  assert.deepEqual(
    page.all('rect').map(({ attributes: { class: kind, x, height } }) => [kind, x, height]),
    [
      ['all', '312', '60'],
      ['ok', '312', '24'],
      ['all', '348', '12'],
      ['ok', '348', '0'],
    ],
  );
  const text = trim(page.all('p', { class: 'axis' })[0]?.text);
  assert.equal(text, '4 Feb 6 messages, 2 ideas, 2 results confirmed today: 1');
  const twin = (await app.request('GET /index.md')).text;
  assert.match(twin, /\nSince 4 Feb: 6 messages, 2 ideas, 2 results confirmed\.\n/);
});
