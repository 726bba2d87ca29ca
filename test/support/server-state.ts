import type { ServerState } from '#private/private-store.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

/** The numbers of a server that needs nobody. */
export const aServerState = (other: Partial<ServerState> = {}): ServerState => ({
  id: '00000000-0000-4000-8000-000000000001',
  at: NOW,
  startedAt: NOW,
  version: '0.1.0',
  listening: '127.0.0.1:8787',
  health: { writable: true, reason: null, notifying: true, frozen: false },
  clockMovedMs: 20,
  newest: '2026-11-21T09:59:00.000000Z',
  postsToday: 12,
  refused: {},
  waits: 2,
  readsWaiting: 0,
  reports: { open: 0, illegal: 0, oldest: null },
  held: 0,
  valveClosed: false,
  denials: 0,
  lastExport: null,
  sizeInBytes: 2_500_000,
  maxBytes: 0,
  ...other,
});
