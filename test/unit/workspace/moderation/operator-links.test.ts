import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { Holds } from '#workspace/moderation/holds.ts';
import { LINK_PATH, OperatorLinks } from '#workspace/moderation/operator-links.ts';
import { moderate, setFrozen } from '#workspace/moderation/operator-writes.ts';
import { dayAt, HOUR_MS } from '#workspace/text/time.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { startApp } from '../../../support/http/app.ts';
import { sendRequest, type RequestOptions } from '../../../support/http/send-request.ts';
import { ENGINES } from '../../../support/store/engines.ts';
import { readEntries } from '../../../support/private-stores.ts';
import { aPost } from '../../../support/store/records.ts';
import { addPost, addPosts, erase } from '../../../support/store/writes.ts';

const FORM = 'application/x-www-form-urlencoded';

for (const [engine, place] of Object.entries(ENGINES)) {
  describe(`the links of an operator on ${engine}`, () => {
    const setUp = async (t: TestContext, baseUrl = 'https://porch.example.org') => {
      const folder = await temporaryFolder(t);
      const context = await openTestWorkspace({ folder, empty: true, baseUrl, ...place() });
      const { store, workspace, clock, privateStore } = context;
      const { reports, service, now } = workspace;
      let secrets = 0;
      const create = () => {
        const holds = new Holds({ store, reports, needed: 3, now });
        const newKey = () => `key ${++secrets}`;
        const newSecret = () => createHash('sha256').update(newKey()).digest('base64url');
        return {
          holds,
          links: new OperatorLinks({ store, reports, holds, service, newSecret, newKey, now }),
        };
      };
      const { links, holds } = create();
      const app = await startApp(context, { links });
      t.after(async () => {
        await app.close();
        await store.close();
      });
      const request = (line: string, options?: RequestOptions) => sendRequest(app.url, line, options);
      const report = async (id: string, tag = '1') =>
        reports.append({
          type: 'report',
          day: dayAt(now()),
          id,
          reason: 'private_data',
          tag: id.slice(-12) + tag,
        });
      /** @returns the path of a link */
      const linkTo = async (id: string) => {
        const address = (await links.create(id))!;
        assert.ok(address.startsWith(`${baseUrl}${LINK_PATH}`));
        return address.slice(baseUrl.length);
      };
      const judge = (path: string, verdict: string) =>
        request(`POST ${path}`, {
          headers: { 'Content-Type': FORM, Origin: 'null' },
          body: `verdict=${verdict}`,
        });
      const isVisible = async (id: string) => (await store.read.find('post', id)) !== undefined;
      const reasons = async () =>
        (await store.read.moderations(50)).map(({ action, reason }) => `${action}: ${reason}`);
      const addReported = async (text: string) => {
        const { id } = (await addPost(store, text)).record;
        await report(id);
        return id;
      };
      return {
        ...{ clock, store, reports, privateStore, links, holds, create, request, report, linkTo, judge },
        ...{ isVisible, reasons, addReported },
      };
    };

    it('shows a record without changing it, and hides it for 24 hours by a form, once', async (t) => {
      const app = await setUp(t);
      const { clock, request, linkTo, judge, isVisible, reasons, holds } = app;
      const id = await app.addReported('Call <b>Anna</b> at 555-0100 & more');
      const path = await linkTo(id);
      for (const method of ['GET', 'HEAD', 'GET']) {
        const page = await request(`${method} ${path}`, { headers: { Accept: 'text/html' } });
        assert.equal(page.status, 200);
        assert.equal(page.headers['cache-control'], 'no-store');
        assert.equal(page.headers['referrer-policy'], 'no-referrer');
        assert.equal(page.headers['set-cookie'], undefined);
        assert.equal(page.headers['etag'], undefined);
        if (method === 'HEAD') continue;
        assert.match(page.text, /<meta name="robots" content="noindex/);
        assert.match(page.text, /Call &lt;b&gt;Anna&lt;\/b&gt; at 555-0100 &amp; more/);
        assert.match(page.text, /private data \(1\)/);
        assert.match(page.text, new RegExp(`porchlight hide ${id} --reason &quot;private data&quot;`));
        assert.ok(!page.text.includes(path.slice(LINK_PATH.length)), 'the page does not repeat the secret');
      }
      assert.deepEqual(await reasons(), []);
      assert.equal((await judge(path, 'erase')).status, 422);
      for (const [length, status] of [
        [64, 422],
        [65, 413],
      ] as const)
        assert.equal((await judge(path, 'x'.repeat(length - 'verdict='.length))).status, status);
      const done = await judge(path, 'hide');
      assert.equal(done.status, 200);
      assert.equal(done.headers['cache-control'], 'no-store');
      assert.match(done.text, /It is shown again on 3 Mar 2026, 16:00 UTC\./);
      assert.match(done.text, new RegExp(`porchlight hide ${id} --reason &quot;private data&quot;`));
      for (const way of [`/posts/${id}`, '/moderation', '/'])
        assert.ok(done.text.includes(`<a href="https://porch.example.org${way}">`), way);
      assert.match(done.text, new RegExp(`porchlight unhide ${id} --reason`));
      for (const [path, words] of [
        [`/posts/${id}`, /Hidden by the operator until 3 Mar 2026, 16:00 UTC, then shown again\./],
        ['/moderation', />Hidden by the operator until 3 Mar 2026, 16:00 UTC, then shown again\.</],
        ['/moderation.md', /│ Hidden by the operator until 3 Mar 2026, 16:00 UTC, then shown again\./],
      ] as const)
        assert.match((await request(`GET ${path}`, { headers: { Accept: 'text/html' } })).text, words, path);
      assert.equal(await isVisible(id), false);
      assert.deepEqual(await reasons(), ['hide: hold until 2026-03-03T16:00Z: held by the operator']);
      for (const replay of [
        () => judge(path, 'stay'),
        () => judge(path, 'hide'),
        () => request(`GET ${path}`),
      ])
        assert.match((await replay()).text, /<h1 dir="auto">This link cannot be used<\/h1>/);
      assert.equal((await request(`GET ${path}`)).status, 404);
      assert.equal(await isVisible(id), false);
      clock.advance(24 * HOUR_MS);
      await holds.update();
      await app.create().holds.update();
      assert.equal(await isVisible(id), true);
      assert.equal((await reasons()).length, 2);
    });

    it('ends a hold of reports, which then hold nothing for 24 hours', async (t) => {
      const app = await setUp(t);
      const [held, free] = [await app.addReported('held'), await app.addReported('free')];
      for (const tag of ['2', '3']) await app.report(held, tag);
      await app.holds.update();
      assert.equal(await app.isVisible(held), false);
      for (const id of [held, free])
        assert.match(
          (await app.judge(await app.linkTo(id), 'stay')).text,
          new RegExp(`porchlight hide ${id} [^]*porchlight keep ${id} `),
        );
      for (const tag of ['2', '3', '4']) await app.report(free, tag);
      await app.holds.update();
      assert.deepEqual([await app.isVisible(held), await app.isVisible(free)], [true, true]);
      app.clock.advance(24 * HOUR_MS);
      for (const tag of ['5', '6', '7']) await app.report(free, tag);
      await app.holds.update();
      assert.deepEqual([await app.isVisible(held), await app.isVisible(free)], [true, false]);
    });

    it('replaces a hold of reports, and holds any kind of any age, in a frozen place too', async (t) => {
      const app = await setUp(t);
      const id = await app.addReported('old');
      for (const tag of ['2', '3']) await app.report(id, tag);
      await app.holds.update();
      app.clock.advance(HOUR_MS);
      await setFrozen(app.store, 'freeze');
      assert.equal((await app.judge(await app.linkTo(id), 'hide')).status, 200);
      assert.deepEqual((await app.reasons())[0], 'hide: hold until 2026-03-03T17:00Z: held by the operator');
      app.clock.advance(23 * HOUR_MS);
      await app.holds.update();
      assert.equal(await app.isVisible(id), false);
      app.clock.advance(HOUR_MS);
      await app.holds.update();
      assert.equal(await app.isVisible(id), true);
    });

    it('answers alike to what is unknown, used, expired, erased or judged', async (t) => {
      const app = await setUp(t);
      const ids: string[] = [];
      for (const text of ['used', 'expired', 'erased', 'hidden', 'kept'])
        ids.push(await app.addReported(text));
      const [used, expired, erased, hidden, kept] = ids as [string, string, string, string, string];
      const old = await app.linkTo(expired);
      app.clock.advance(6 * HOUR_MS);
      const paths = [old];
      for (const id of [used, erased, hidden, kept]) paths.push(await app.linkTo(id));
      const twin = await app.linkTo(used);
      assert.equal((await app.judge(twin, 'stay')).status, 200);
      await erase(app.store, erased);
      await moderate(app.store, 'hide', hidden, 'illegal');
      await app.reports.append({ type: 'keep', at: app.clock.now(), id: kept, reason: 'harmless' });
      paths.push(`${LINK_PATH}${'A'.repeat(43)}`, `${LINK_PATH}x`, `${LINK_PATH}${'A'.repeat(7000)}`);
      const before = await app.reasons();
      const bodies = new Set<string>();
      for (const path of paths)
        for (const response of [await app.request(`GET ${path}`), await app.judge(path, 'hide')]) {
          assert.equal(response.status, 404, path);
          bodies.add(response.text);
        }
      assert.equal(bodies.size, 1);
      assert.deepEqual(await app.reasons(), before);
      assert.equal(await app.links.create(hidden), undefined);
      assert.equal(await app.links.create(kept), undefined);
    });

    it('counts the first of two operators, whichever server each of them asks', async (t) => {
      const app = await setUp(t);
      const id = await app.addReported('x');
      const [one, other] = [await app.linkTo(id), await app.linkTo(id)];
      const caller = { clientKey: 'an operator' };
      const secretOf = (path: string) => path.slice(LINK_PATH.length);
      const outcomes = await Promise.allSettled([
        app.links.judge(secretOf(one), true, caller),
        app.create().links.judge(secretOf(other), false, caller),
        app.create().links.judge(secretOf(one), false, caller),
      ]);
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), [
        'fulfilled',
        'rejected',
        'rejected',
      ]);
      assert.equal(await app.isVisible(id), outcomes[0]?.status !== 'fulfilled');
      assert.ok((await app.reasons()).length <= 1);
    });

    it('hides 20 records at most, and says so', async (t) => {
      const app = await setUp(t);
      const posts = Array.from({ length: 21 }, (_, n) => aPost(`post ${n}`));
      await addPosts(app.store, posts);
      const paths: string[] = [];
      for (const { id } of posts) {
        await app.report(id);
        paths.push(await app.linkTo(id));
      }
      for (const path of paths.slice(0, 20))
        assert.match((await app.judge(path, 'hide')).text, /Hidden for 24/);
      const last = paths[20]!;
      assert.match((await app.judge(last, 'hide')).text, /have hidden 20 records, which is their limit/);
      assert.equal(await app.isVisible(posts[20]!.id), true);
      assert.equal((await app.judge(last, 'stay')).status, 200, 'the link was not used up');
    });

    it('refuses guesses after 60 in an hour, and never a link that can be used', async (t) => {
      const app = await setUp(t);
      const path = await app.linkTo(await app.addReported('x'));
      const statuses: number[] = [];
      for (let n = 0; n < 62; n++)
        statuses.push((await app.request(`GET ${LINK_PATH}${String(n).padStart(43, 'B')}`)).status);
      assert.deepEqual(statuses, [...Array<number>(60).fill(404), 429, 429]);
      assert.equal((await app.request(`GET ${path}`)).status, 200);
    });

    it('keeps hashes of the secrets only, and makes none where the address is sent in the clear', async (t) => {
      const app = await setUp(t);
      const id = await app.addReported('x');
      const path = await app.linkTo(id);
      const { entries } = await readEntries(app.privateStore);
      assert.ok(!JSON.stringify(entries).includes(path.slice(LINK_PATH.length)));
      const plain = await setUp(t, 'http://porch.example.org');
      assert.equal(await plain.links.create(await plain.addReported('x')), undefined);
      const local = await setUp(t, 'http://127.0.0.1:8787');
      assert.ok(await local.links.create(await local.addReported('x')));
    });
  });
}
