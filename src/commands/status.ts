import type { ServerState } from '#private/private-store.ts';
import { MAX_AHEAD_MS } from '#workspace/log/export-format.ts';
import { printable } from './printable.ts';

/** A server writes every five seconds. One that is silent for this long was killed or has hung. */
const SILENT_MS = 9_000;
/** A day between two backups, and half a day to repeat a failed one. */
const MAX_EXPORT_AGE_MS = 36 * 3_600_000;
const MIN_FREE_BYTES = 100_000_000;
const MIN_FREE_SHARE = 0.1;
const FULL_SHARE = 0.9;

export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

export interface Fault {
  readonly code: string;
  /** One sentence that names the fault and the remedy. */
  readonly text: string;
}

/** @param states of all servers @param disk null with a database @returns the faults, most severe first */
export function findFaults(states: readonly ServerState[], disk: DiskSpace | null, now: number): Fault[] {
  const running = states.filter((state) => !isSilent(state, now));
  const killed = states.filter((state) => isSilent(state, now) && !isReplaced(state, running));
  const [newest] = running.toSorted((a, b) => b.at - a.at);
  const isFull = disk !== null && disk.free < Math.min(MIN_FREE_BYTES, MIN_FREE_SHARE * disk.total);
  const isMixed = new Set(running.map(({ version }) => version)).size > 1;
  const faults = [
    ...toFaults({
      disk_full: isFull && `The disk has ${formatBytes(disk.free)} left: free some space.`,
      not_running: states.length === 0 && 'No server is running on this store: start one.',
    }),
    ...killed.flatMap((state) => killedFault(state, now)),
    ...running.flatMap((state) => serverFaults(state, now)),
    ...(newest === undefined ? [] : placeFaults(newest, now)),
    ...toFaults({ versions: isMixed && 'Servers of different versions are running: finish the upgrade.' }),
  ];
  // Servers on one store share most faults.
  return [...new Map(faults.map((fault) => [fault.text, fault])).values()];
}

/** @param texts by code, in the order of the result; false if there is no such fault */
function toFaults(texts: Readonly<Record<string, string | false>>): Fault[] {
  return Object.entries(texts).flatMap(([code, text]) => (text === false ? [] : { code, text }));
}

function isReplaced({ listening, at }: ServerState, running: readonly ServerState[]): boolean {
  return running.some((state) => state.listening === listening && state.startedAt > at);
}

const isSilent = ({ at }: ServerState, now: number): boolean => now - at > SILENT_MS;

function killedFault({ listening, at }: ServerState, now: number): Fault[] {
  const silence = formatDuration(Math.round((now - at) / 1000));
  return toFaults({
    server_gone:
      `The server at ${printable(listening)} has written nothing for ${silence}: it was killed or ` +
      'has hung.',
  });
}

function serverFaults({ health, clockMovedMs, newest }: ServerState, now: number): Fault[] {
  const { writable, reason, frozen, notifying } = health;
  const ahead = newest === null ? 0 : Date.parse(newest) - now;
  const moved = Math.abs(clockMovedMs);
  return [
    ...toFaults({
      frozen: frozen === true && 'Writing is frozen: porchlight thaw accepts writes again.',
      not_writable:
        frozen !== true && !writable && `Writes fail: ${printable(reason ?? 'the reason is in the log')}.`,
      not_notifying: !notifying && 'The database sends no notifications, so waits end seconds late.',
      clock:
        ahead > MAX_AHEAD_MS &&
        `The newest record is ${formatDuration(ahead / 1000)} ahead of the clock: correct the clock of ` +
          'this machine or, if it was only ahead once, import an export into a new store with --clamp.',
    }),
    ...toFaults({
      clock:
        moved > MAX_AHEAD_MS &&
        `The clock was moved by ${formatDuration(moved / 1000)} while the server ran: check it, then ` +
          'restart the server.',
    }),
  ];
}

function placeFaults(state: ServerState, now: number): Fault[] {
  const { sizeInBytes, maxBytes, reports, held, valveClosed, lastExport, startedAt } = state;
  const size = maxBytes > 0 ? (sizeInBytes ?? 0) : 0;
  const isFull = size > 0 && size >= maxBytes;
  const illegal = reports.illegal === 0 ? '' : `, ${reports.illegal} as illegal`;
  const exportAge = now - (lastExport ?? startedAt);
  const isStale = exportAge > MAX_EXPORT_AGE_MS;
  return toFaults({
    store_full: isFull && 'The store has reached STORE_MAX_BYTES: raise it, and restart.',
    store_nearly_full:
      !isFull &&
      size > 0 &&
      size >= FULL_SHARE * maxBytes &&
      `The store uses ${formatBytes(size)} of ${formatBytes(maxBytes)}: raise STORE_MAX_BYTES.`,
    reports:
      reports.open > 0 &&
      `${reports.open} ${reports.open === 1 ? 'record is' : 'records are'} reported${illegal}: ` +
        'porchlight reports.',
    held:
      held > 0 &&
      `${held} reported ${held === 1 ? 'record is' : 'records are'} hidden for a day: hide or unhide ` +
        'what porchlight moderation lists.',
    valve_closed:
      valveClosed &&
      'WRITES_PER_MINUTE_TOTAL is reached: only networks that have not written recently may write.',
    no_export: lastExport === null && isStale && 'There was no export in the last 30 days: make a backup.',
    stale_export:
      lastExport !== null &&
      isStale &&
      `The last export is ${formatDuration(exportAge / 1000)} old: check the backup.`,
  });
}

/** @returns the lines to print, with the faults first */
export function describeStatus(
  states: readonly ServerState[],
  faults: readonly Fault[],
  disk: DiskSpace | null,
  now: number,
): string[] {
  const lines = faults.length === 0 ? ['All is well.'] : faults.map(({ text }) => text);
  const [newest] = states.toSorted((a, b) => b.at - a.at);
  if (newest === undefined) return lines;
  const { postsToday, reports, denials, lastExport, sizeInBytes, maxBytes } = newest;
  lines.push('');
  for (const { listening, version, startedAt, at, waits, readsWaiting, refused } of states) {
    const up = now - at > SILENT_MS ? 'gone' : `up ${formatDuration((now - startedAt) / 1000)}`;
    const seen = `as of ${formatDuration(Math.max(0, (now - at) / 1000))} ago`;
    lines.push(
      `server   ${printable(listening)}  ${printable(version)}  ${up}, ${waits} waits, ` +
        `${readsWaiting} reads waiting, ${seen}`,
    );
    const refusals = Object.entries(refused).filter(([, number]) => number > 0);
    if (refusals.length > 0)
      lines.push(`refused  ${refusals.map(([limit, number]) => `${printable(limit)} ${number}`).join(', ')}`);
  }
  lines.push(
    `posts    ${postsToday} today`,
    `reports  ${reports.open} open` +
      (reports.oldest === null ? '' : `, the oldest of ${printable(reports.oldest)}`),
    `denied   ${denials} ${denials === 1 ? 'network' : 'networks'}`,
    `store    ${sizeInBytes === null ? 'size unknown' : formatBytes(sizeInBytes)}` +
      (maxBytes > 0 ? ` of ${formatBytes(maxBytes)}` : '') +
      (disk === null ? '' : `, ${formatBytes(disk.free)} free on the disk`),
    'export   ' +
      (lastExport === null ? 'none in the last 30 days' : `${formatDuration((now - lastExport) / 1000)} ago`),
  );
  return lines;
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** @returns the largest unit of a duration, such as `3 days` */
function formatDuration(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 'second'];
  const number = Math.floor(seconds / size);
  return `${number} ${name}${number === 1 ? '' : 's'}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1000)} kB`;
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
