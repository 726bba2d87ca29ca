import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ReportReason } from '#private/private-store.ts';
import { Holds } from '#workspace/moderation/holds.ts';
import { MAX_HELD } from '#workspace/moderation/report-state.ts';
import { moderate } from '#workspace/moderation/operator-writes.ts';
import { dayAt } from '#workspace/text/time.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { ENGINES } from '../../../support/store/engines.ts';
import { addPost, addPosts, importEntries } from '../../../support/store/writes.ts';
import { aPost } from '../../../support/store/records.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

for (const [engine, place] of Object.entries(ENGINES)) {
  describe(`holds on ${engine}`, () => {
    const setUp = async (t: TestContext) => {
      const folder = await temporaryFolder(t);
      const { store, workspace, clock } = await openTestWorkspace({ folder, empty: true, ...place() });
      t.after(() => store.close());
      const { reports } = workspace;
      const create = () => new Holds({ store, reports, needed: 3, now: clock.now });
      const report = async (id: string, count: number, reason: ReportReason = 'illegal') => {
        const day = dayAt(clock.now());
        for (let n = 0; n < count; n++)
          await reports.append({ type: 'report', day, id, reason, tag: `${id.slice(-12)}${n}` });
      };
      const isVisible = async (id: string) => (await store.read.find('post', id)) !== undefined;
      const reasons = async () =>
        (await store.read.moderations(50)).map(({ action, reason }) => `${action}: ${reason}`);
      return { store, clock, reports, create, report, isVisible, reasons };
    };

    it('hides a young post for 24 hours once enough networks call it illegal on a day, once in its life', async (t) => {
      const { store, clock, create, report, isVisible, reasons } = await setUp(t);
      const { id } = (await addPost(store, 'x')).record;
      const holds = [create(), create()];
      const look = async () => {
        for (const one of holds) await one.update();
      };
      await report(id, 2);
      await report(id, 9, 'spam');
      await look();
      assert.ok(await isVisible(id));
      await report(id, 3, 'private_data');
      await look();
      assert.ok(!(await isVisible(id)));
      assert.deepEqual(await reasons(), ['hide: hold until 2026-03-03T16:00Z: several networks reported it']);
      clock.advance(DAY_MS - 1);
      await look();
      assert.ok(!(await isVisible(id)));
      clock.advance(1);
      await look();
      assert.ok(await isVisible(id));
      await report(id, 5);
      await look();
      holds.push(create());
      await look();
      assert.ok(await isVisible(id));
      assert.equal((await reasons()).length, 2);
    });

    it('an operator can hide for good what is held, and show it; neither is undone when the hold ends', async (t) => {
      const { store, clock, create, report, isVisible, reasons } = await setUp(t);
      const [a, b] = [(await addPost(store, 'a')).record.id, (await addPost(store, 'b')).record.id];
      const holds = create();
      for (const id of [a, b]) await report(id, 3);
      await holds.update();
      assert.ok(await moderate(store, 'hide', a, 'illegal'));
      assert.ok(!(await moderate(store, 'hide', a, 'illegal')));
      assert.ok(await moderate(store, 'unhide', b, 'harmless'));
      assert.ok(await moderate(store, 'hide', b, 'after all'));
      clock.advance(DAY_MS);
      await holds.update();
      await create().update();
      assert.deepEqual([await isVisible(a), await isVisible(b)], [false, false]);
      assert.equal((await reasons()).length, 5);
    });

    it('holds a record that a process noted and did not hide, and does not touch what an operator judged', async (t) => {
      const { store, clock, reports, create, isVisible } = await setUp(t);
      const [a, b] = [(await addPost(store, 'a')).record.id, (await addPost(store, 'b')).record.id];
      for (const id of [a, b])
        await reports.append({ type: 'event', at: clock.now(), key: `hold ${id}`, event: 'hold', id });
      clock.advance(1000);
      await moderate(store, 'hide', b, 'x');
      await moderate(store, 'unhide', b, 'x');
      await create().update();
      assert.deepEqual([await isVisible(a), await isVisible(b)], [false, true]);
    });

    it('never holds what an operator has kept or shown again, and releases what one keeps', async (t) => {
      const { store, clock, reports, create, report, isVisible, reasons } = await setUp(t);
      const ids = [];
      for (const text of ['was kept', 'was shown', 'is held'])
        ids.push((await addPost(store, text)).record.id);
      const [wasKept = '', wasShown = '', isHeld = ''] = ids;
      const keep = (id: string) => reports.append({ type: 'keep', at: clock.now(), id, reason: 'harmless' });
      await report(wasKept, 1);
      await keep(wasKept);
      await moderate(store, 'hide', wasShown, 'x');
      await moderate(store, 'unhide', wasShown, 'x');
      clock.advance(DAY_MS);
      for (const id of ids) await report(id, 9);
      const holds = [create(), create()];
      for (const one of holds) await one.update();
      assert.deepEqual(await Promise.all(ids.map(isVisible)), [true, true, false]);
      assert.equal((await reasons()).length, 3);
      assert.deepEqual([...(await reports.state()).holds.keys()], [isHeld]);
      await keep(isHeld);
      for (const one of holds) await one.update();
      assert.ok(await isVisible(isHeld));
      clock.advance(DAY_MS);
      for (const id of ids) await report(id, 9);
      for (const one of [...holds, create()]) await one.update();
      assert.deepEqual(await Promise.all(ids.map(isVisible)), [true, true, true]);
    });

    it('a record that is kept while another server notes a hold stays', async (t) => {
      const { store, clock, reports, create, report, isVisible } = await setUp(t);
      const { id } = (await addPost(store, 'a')).record;
      await report(id, 3);
      await reports.append({ type: 'keep', at: clock.now(), id, reason: 'harmless' });
      await reports.append({ type: 'event', at: clock.now(), key: `hold ${id}`, event: 'hold', id });
      await create().update();
      assert.ok(await isVisible(id));
      const events = (await reports.state()).events.since('').map(({ event }) => event);
      assert.deepEqual(events, []);
    });

    it('ends a hold of 24 hours after a restore, which brings no journal along, and no earlier', async (t) => {
      const before = await setUp(t);
      const { id } = (await addPost(before.store, 'x')).record;
      await before.report(id, 3);
      await before.create().update();
      const entries = [];
      for await (const entry of before.store.read.history()) entries.push(entry);

      const { store, clock, create, isVisible, reasons } = await setUp(t);
      const holds = create();
      await holds.update();
      // An operator imports the backup while the server runs.
      await importEntries(store, entries);
      clock.advance(DAY_MS - 60_001);
      await holds.update();
      assert.ok(!(await isVisible(id)));
      clock.advance(HOUR_MS);
      for (const one of [holds, create()]) await one.update();
      assert.ok(await isVisible(id));
      assert.deepEqual(await reasons(), [
        'unhide: the hold has ended',
        'hide: hold until 2026-03-03T16:00Z: several networks reported it',
      ]);
      // What an operator hides after it stays hidden.
      assert.ok(await moderate(store, 'hide', id, 'illegal'));
      clock.advance(DAY_MS);
      for (const one of [holds, create()]) await one.update();
      assert.ok(!(await isVisible(id)));
    });

    it('does not end a restored hold by the journal of an earlier one', async (t) => {
      const { store, clock, reports, create, isVisible } = await setUp(t);
      const { id } = (await addPost(store, 'x')).record;
      await reports.append({ type: 'event', at: clock.now() - DAY_MS, key: `hold ${id}`, event: 'hold', id });
      const end = new Date(clock.now() + HOUR_MS).toISOString().slice(0, 16);
      const at = (await store.read.find('post', id))!.record.createdAt;
      await importEntries(store, [
        { action: 'hide', id, at, reason: `hold until ${end}Z: held by the operator` },
      ]);
      await create().update();
      assert.ok(!(await isVisible(id)));
      clock.advance(HOUR_MS);
      await create().update();
      assert.ok(await isVisible(id));
    });

    it('leaves what is older than seven days, and rests once it holds 20', async (t) => {
      const { store, clock, reports, create, report, isVisible } = await setUp(t);
      const old = (await addPost(store, 'old')).record.id;
      clock.advance(7 * DAY_MS + 1000);
      await report(old, 3);
      const posts = Array.from({ length: MAX_HELD + 2 }, (_, n) => aPost(`post ${n}`));
      await addPosts(store, posts);
      for (const { id } of posts) await report(id, 3);
      const holds = create();
      for (let round = 0; round < 2; round++) await holds.update();
      assert.ok(await isVisible(old));
      const visible = await Promise.all(posts.map(({ id }) => isVisible(id)));
      assert.equal(visible.filter(Boolean).length, 2);
      const events = (await reports.state()).events.since('').map(({ event }) => event);
      assert.equal(events.filter((event) => event === 'holds_used_up').length, 1);
    });
  });
}
