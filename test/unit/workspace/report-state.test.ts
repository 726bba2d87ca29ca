import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Entry, ReportReason } from '#private/private-store.ts';
import { isClaimed, MAX_REPORTS_A_DAY, ReportState } from '#workspace/report-state.ts';

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
  state.pendingEvents('').map(({ event, id, reason }) => [event, id, reason]);

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
    { ...item, reasons: Object.fromEntries(item!.reasons) },
    { ...item, networks: 3, reasons: { spam: 3, illegal: 1 }, first: DAY, last: '2026-11-22' },
  );
});

it('10,000 reports on three items are three items', () => {
  const ids = [A, B, 'post_c'];
  const state = stateOf(
    ...Array.from({ length: 10_000 }, (_, index) => report(ids[index % 3]!, String(index))),
  );
  assert.deepEqual(summary(state), [
    [A, 3334],
    [B, 3333],
    ['post_c', 3333],
  ]);
});

it('illegal comes first, then what most networks report', () => {
  const state = stateOf(report(A, '1'), report(A, '2'), report(B, '1', 'illegal'), report('post_c', '1'));
  assert.deepEqual(summary(state), [
    [B, 1],
    [A, 2],
    ['post_c', 1],
  ]);
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
  const { key } = state.pendingEvents('')[0]!;
  state.apply({ type: 'claim', at: AT, key, by: 'one' });
  state.apply({ type: 'claim', at: AT + 1000, key, by: 'two' });
  const [event] = state.pendingEvents('');
  assert.equal(event?.claim?.by, 'one');
  assert.ok(isClaimed(event, AT + 60_000) && !isClaimed(event, AT + 60_001));
  state.apply({ type: 'claim', at: AT + 60_001, key, by: 'two' });
  assert.equal(state.pendingEvents('')[0]?.claim?.by, 'two');
  state.apply({ type: 'sent', at: AT, class: 'report', keys: [key] });
  assert.deepEqual(events(state), []);
  assert.deepEqual([state.sentInHour('report', AT + 1), state.sentInHour('report', AT + 3_600_000)], [1, 0]);
});

it('an event of the service counts if it changes something', () => {
  const event = (name: 'valve_open' | 'valve_closed', n: number): Entry => ({
    type: 'event',
    at: AT,
    key: `k${n}`,
    event: name,
  });
  const state = stateOf(
    event('valve_open', 1),
    event('valve_closed', 2),
    event('valve_closed', 3),
    event('valve_open', 4),
  );
  assert.deepEqual(
    state.pendingEvents('').map(({ key }) => key),
    ['k2', 'k4'],
  );
});

it('networks with a grave reason are counted for one UTC day', () => {
  const state = stateOf(
    report(A, '1', 'illegal'),
    report(A, '1', 'private_data'),
    report(A, '2', 'private_data'),
    report(A, '3', 'spam'),
  );
  assert.equal(state.graveNetworks(A, DAY), 2);
  state.apply(report(A, 'x', 'illegal', '2026-11-22'));
  assert.deepEqual([state.graveNetworks(A, '2026-11-22'), state.graveNetworks(A, DAY)], [1, 0]);
});

it('a day has room for each reason, so that no flood of one crowds out another', () => {
  const state = new ReportState();
  for (let n = 0; n < MAX_REPORTS_A_DAY; n++) state.apply(report(A, String(n)));
  assert.deepEqual([state.isFull(DAY, 'spam'), state.isFull(DAY, 'illegal')], [true, false]);
});
