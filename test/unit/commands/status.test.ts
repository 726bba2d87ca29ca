import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeStatus, findFaults, type DiskSpace } from '#commands/status.ts';
import type { ServerState } from '#private/private-store.ts';
import { aServerState } from '../../support/server-state.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const HOUR_MS = 3_600_000;
const PLENTY = { free: 1e12, total: 2e12 };

const stateWith = (other: Partial<ServerState> = {}): ServerState =>
  aServerState({ at: NOW - 3000, startedAt: NOW - 2 * HOUR_MS, lastExport: NOW - 5 * HOUR_MS, ...other });

const codes = (states: readonly ServerState[], disk: DiskSpace | null = PLENTY): string[] =>
  findFaults(states, disk, NOW).map(({ code }) => code);

const healthy = stateWith().health;

const FAULTS: readonly (readonly [name: string, code: string, state: Partial<ServerState>])[] = [
  ['a killed server', 'server_gone', { at: NOW - 10_000 }],
  ['failing writes', 'not_writable', { health: { ...healthy, writable: false, reason: 'EIO' } }],
  ['a freeze', 'frozen', { health: { ...healthy, writable: false, frozen: true } }],
  ['a database without notifications', 'not_notifying', { health: { ...healthy, notifying: false } }],
  ['a clock that is three days behind', 'clock', { newest: '2026-11-24T10:00:00.000000Z' }],
  ['a clock that was moved', 'clock', { clockMovedMs: 3 * 24 * HOUR_MS }],
  ['a full store', 'store_full', { maxBytes: 2_500_000 }],
  ['a store that is nearly full', 'store_nearly_full', { maxBytes: 2_600_000 }],
  ['reports', 'reports', { reports: { open: 50, illegal: 1, oldest: '2026-11-20' } }],
  ['no export in 30 days', 'no_export', { lastExport: null, startedAt: NOW - 37 * HOUR_MS }],
  ['held records', 'held', { held: 2 }],
  ['a closed valve', 'valve_closed', { valveClosed: true }],
  ['an export of the day before yesterday', 'stale_export', { lastExport: NOW - 37 * HOUR_MS }],
];

it('a server that works has no fault', () => {
  assert.deepEqual(codes([stateWith()]), []);
  assert.deepEqual(codes([stateWith({ lastExport: null, newest: null, sizeInBytes: null })], null), []);
});

for (const [name, code, state] of FAULTS)
  it(`${name} is the fault ${code}, in one sentence that says what to do`, () => {
    assert.deepEqual(codes([stateWith(state)]), [code]);
    const [fault] = findFaults([stateWith(state)], PLENTY, NOW);
    assert.match(fault!.text, /^[A-Z0-9].*\.$/);
    assert.equal(describeStatus([stateWith(state)], [fault!], PLENTY, NOW)[0], fault!.text);
  });

it('a full disk comes first, also if no server can write its numbers any more', () => {
  const full = { free: 50_000_000, total: 1e12 };
  assert.deepEqual(codes([stateWith({ at: NOW - 60_000 })], full), ['disk_full', 'server_gone']);
  assert.deepEqual(codes([stateWith()], { free: 50_000_000, total: 100_000_000 }), []);
});

it('no server is a fault, and a server at the address of a killed one replaces it', () => {
  assert.deepEqual(codes([]), ['not_running']);
  const killed = stateWith({ at: NOW - 60_000 });
  const other = { id: '00000000-0000-4000-8000-000000000002' };
  assert.deepEqual(codes([killed, stateWith({ ...other, startedAt: NOW - 50_000 })]), []);
  // It ran beside the killed one.
  assert.deepEqual(codes([killed, stateWith(other)]), ['server_gone']);
});

it('two servers name a shared fault once, and different versions are a fault', () => {
  const other = { id: '00000000-0000-4000-8000-000000000002', version: '0.2.0' };
  const reports = { open: 1, illegal: 0, oldest: '2026-11-20' };
  assert.deepEqual(codes([stateWith({ reports }), stateWith({ ...other, reports })]), [
    'reports',
    'versions',
  ]);
});

it('the lines show the numbers, and no character that a terminal interprets', () => {
  const state = stateWith({
    refused: { feedPostsPerNetworkPerHour: 3, readsAtOnce: 0 },
    listening: 'a\u001b[2J:1',
  });
  assert.deepEqual(describeStatus([state], [], PLENTY, NOW), [
    'All is well.',
    '',
    'server   a\\u001b[2J:1  0.1.0  up 2 hours, 2 waits, 0 reads waiting, as of 3 seconds ago',
    'refused  feedPostsPerNetworkPerHour 3',
    'posts    12 today',
    'reports  0 open',
    'denied   0 networks',
    'store    3 MB, 1000.0 GB free on the disk',
    'export   5 hours ago',
  ]);
});
