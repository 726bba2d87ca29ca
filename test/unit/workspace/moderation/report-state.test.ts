import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Entry, ReportReason, PrivateStore } from '#private/private-store.ts';
import { isClaimed } from '#workspace/moderation/pending-events.ts';
import { MAX_HELD, ReportState, MAX_REPORTS_A_DAY } from '#workspace/moderation/report-state.ts';
import { Reports } from '#workspace/moderation/reports.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

const A = 'post_a';
const B = 'guest_b';
const DAY = '2026-11-21';
const AT = Date.parse(`${DAY}T10:00:00Z`);

const report = (id: string, tag: string, reason: ReportReason = 'spam', day = DAY): Entry => ({
  type: 'report',
  day,
  id,
  reason,
  tag: `${id}${tag}`,
});

function stateOf(...entries: Entry[]): ReportState {
  const state = new ReportState();
  for (const entry of entries) state.apply(entry);
  return state;
}

const summary = (state: ReportState) => state.items().map(({ id, networks }) => [id, networks]);
const events = (state: ReportState) =>
  state.events.since('').map(({ event, id, reason }) => [event, id, reason]);

it('a network counts once for an item and a day, and each of its reasons counts', () => {
  const state = stateOf(
    report(A, '1'),
    report(A, '1'),
    report(A, '1', 'illegal'),
    report(A, '2'),
    report(A, '3', 'spam', '2026-11-22'),
  );
  const [item] = state.items();
  assert.deepEqual(
    [item!.networks, item!.networksOnADay, Object.fromEntries(item!.reasons), item!.first, item!.last],
    [3, 2, { spam: 3, illegal: 1 }, DAY, '2026-11-22'],
  );
});

it('illegal comes first, then what most networks report', () => {
  const state = stateOf(report(A, '1'), report(A, '2'), report(B, '1', 'illegal'), report('post_c', '1'));
  const sorted = summary(state).map(([id]) => id);
  assert.deepEqual(sorted, [B, A, 'post_c']);
});

it('an item that is kept comes back after three new networks, not after those that reported it before', () => {
  const keep: Entry = { type: 'keep', at: AT, id: A, reason: 'harmless' };
  const state = stateOf(report(A, '1'), keep);
  assert.deepEqual([summary(state), events(state)], [[], []]);
  for (const tag of ['1', '2', '2', '3']) state.apply(report(A, tag, 'abuse'));
  assert.deepEqual([summary(state), events(state)], [[], []]);
  state.apply(report(A, '4'));
  assert.deepEqual(summary(state), [[A, 3]]);
  assert.deepEqual(events(state), [['report', A, 'abuse']]);
});

it('the first report of an item and its first illegal one are events, and no other', () => {
  const state = stateOf(report(A, '1'), report(A, '2'), report(A, '3', 'illegal'), report(A, '4', 'illegal'));
  assert.deepEqual(events(state), [
    ['report', A, 'spam'],
    ['illegal', A, 'illegal'],
  ]);
  assert.deepEqual(events(stateOf(report(A, '1', 'illegal'))), [['illegal', A, 'illegal']]);
});

it('an event is claimed by the first that asks, for a minute, and is gone once it is sent', () => {
  const state = stateOf(report(A, '1'));
  const { key } = state.events.since('')[0]!;
  state.apply({ type: 'claim', at: AT, key, by: 'one' });
  state.apply({ type: 'claim', at: AT + 1000, key, by: 'two' });
  const [event] = state.events.since('');
  assert.equal(event?.claim?.by, 'one');
  assert.ok(isClaimed(event, AT + 60_000) && !isClaimed(event, AT + 60_001));
  state.apply({ type: 'claim', at: AT + 60_001, key, by: 'two' });
  assert.equal(state.events.since('')[0]?.claim?.by, 'two');
  state.apply({ type: 'sent', at: AT, class: 'report', keys: [key] });
  assert.deepEqual(events(state), []);
  assert.deepEqual(
    [state.events.sentInHour('report', AT + 1), state.events.sentInHour('report', AT + 3_600_000)],
    [1, 0],
  );
});

it('an event of the service counts if it changes something', () => {
  const names = ['valve_open', 'valve_closed', 'valve_closed', 'valve_open'] as const;
  const entries = names.map((event, n): Entry => ({ type: 'event', at: AT, key: `k${n + 1}`, event }));
  const keys = stateOf(...entries)
    .events.since('')
    .map(({ key }) => key);
  assert.deepEqual(keys, ['k2', 'k4']);
});

it('networks with a grave reason are counted for one UTC day', () => {
  const state = stateOf(
    report(A, '1', 'illegal'),
    report(A, '1', 'private_data'),
    report(A, '2', 'private_data'),
    report(A, '3', 'spam'),
  );
  assert.equal(state.item(A)?.graveNetworks(DAY), 2);
  state.apply(report(A, 'x', 'illegal', '2026-11-22'));
  const networks = ['2026-11-22', DAY].map((day) => state.item(A)?.graveNetworks(day));
  assert.deepEqual(networks, [1, 0]);
});

it('what has expired is forgotten, and the rest is counted as before', async () => {
  const later = '2026-12-10';
  const at = Date.parse('2026-12-22T00:00:01Z');
  const entries: Entry[] = [
    report(A, '1', 'illegal'),
    report(A, '2', 'spam', later),
    report(B, '1'),
    { type: 'event', at: AT, key: `hold ${B}`, event: 'hold', id: B },
    { type: 'event', at: AT, key: 'full', event: 'storage_full' },
    { type: 'denied', day: DAY },
    { type: 'denied', day: later },
    { type: 'exported', at: AT },
  ];
  const all = stateOf(...entries);
  await all.expire(at);
  const young = stateOf(report(A, '2', 'spam', later), { type: 'denied', day: later });
  const view = (state: ReportState) => ({
    items: state.items().map(({ id, networks, networksOnADay, reasons, first, last, isIllegal }) => {
      return { id, networks, networksOnADay, reasons: [...reasons], first, last, isIllegal };
    }),
    rest: [state.denials(), state.lastExport, [...state.holds], state.hasEvent('full')],
  });
  assert.deepEqual(view(all), view(young));
  assert.deepEqual(all.events.since(''), []);
  all.apply(report(B, '9', 'spam', '2026-12-22'));
  assert.deepEqual(events(all), [['report', B, 'spam']]);
});

it('a judgement expires with its day', async () => {
  const state = stateOf(report(A, '1'), { type: 'keep', at: AT, id: A, reason: 'harmless' });
  assert.equal(state.mayStay(A, AT), true);
  await state.expire(Date.parse('2026-12-21T23:59:59Z'));
  assert.equal(state.mayStay(A, AT), true);
  await state.expire(Date.parse('2026-12-22T00:00:00Z'));
  assert.equal(state.mayStay(A, AT), false);
});

it('a report of an earlier day is counted, and nobody is told of it', async () => {
  const state = new ReportState();
  await state.expire(Date.parse('2026-11-23T10:00:00Z'));
  for (const entry of [report(A, '1'), report(B, '1', 'spam', '2026-11-22')]) state.apply(entry);
  assert.deepEqual(events(state), [['report', B, 'spam']]);
  state.apply({ type: 'sent', at: AT, class: 'report', keys: [`report ${B} 0`, `report ${A} 0`] });
  state.apply(report(A, '2', 'abuse', '2026-11-23'));
  assert.deepEqual(events(state), [['report', A, 'spam']]);
});

it('of a flood that is counted only 2,000 events wait, and another network makes an event of any record', () => {
  const state = new ReportState();
  for (let n = 0; n < 5000; n++)
    state.apply({ ...report(`post_${n}`, '1'), isQuiet: true } as Entry & { type: 'report' });
  assert.equal(state.events.since('').length, 2000);
  for (const id of ['post_0', 'post_4999']) state.apply(report(id, '2'));
  const loud = state.events.since('').filter(({ isQuiet }) => isQuiet !== true);
  const ids = loud.map(({ id }) => id);
  assert.deepEqual(ids, ['post_0', 'post_4999']);
});

it('of links that two servers use at once, no more than 20 hide a record', () => {
  const used = Array.from({ length: MAX_HELD + 1 }, (_, n): Entry[] => [
    { type: 'link', at: AT, id: `post_${n}`, hash: `hash ${n}` },
    { type: 'verdict', at: AT, key: `use ${n}`, id: `post_${n}`, hash: `hash ${n}`, hides: true },
  ]);
  const state = stateOf(...used.flat());
  assert.equal(state.heldByLinks(AT), MAX_HELD);
  assert.deepEqual([state.hasEvent('use 19'), state.hasEvent('use 20')], [true, false]);
  assert.notEqual(state.link('hash 20', AT), undefined);
});

/** A journal with these entries, in which each report has a tag of its own. */
function journalOf(entries: Entry[]): PrivateStore {
  return {
    append: async (entry: Entry) => {
      entries.push(entry);
    },
    async *read({ n = 0 } = {}) {
      yield { entries: entries.slice(n), position: { n: entries.length } };
    },
    reportTag: async () => `tag ${entries.length}`,
  } as Partial<PrivateStore> as PrivateStore;
}

it('after 10,000 reports for one reason on a day the next is 429, and one for another reason is stored', async () => {
  const entries = Array.from({ length: MAX_REPORTS_A_DAY }, (_, n) => report(A, String(n)));
  const reports = new Reports({
    privateStore: journalOf(entries),
    read: { find: async () => ({ record: { id: A, rootId: A }, children: 0 }) as never },
    now: () => Date.parse(`${DAY}T18:00:00Z`),
  });
  const send = (reason: ReportReason) => reports.report({ id: A, reason }, { clientKey: '203.0.113.7/32' });
  await assert.rejects(send('spam'), (error) => {
    assert.ok(error instanceof WorkspaceError);
    const { code, limit, retryAfterSeconds } = error.failure;
    assert.deepEqual([code, limit, retryAfterSeconds], ['rate_limited', 'reportsPerDay', 6 * 60 * 60]);
    return true;
  });
  assert.equal(entries.length, MAX_REPORTS_A_DAY);
  await send('illegal');
  assert.equal(entries.length, MAX_REPORTS_A_DAY + 1);
});
