import type { ServerState } from '#private/private-store.ts';
import { MAX_AHEAD_MS } from '#workspace/log/export-format.ts';
import { printable } from './printable.ts';

/** A server writes every five seconds. One that is silent for longer was killed or hangs. */
const SILENT_MS = 9_000;
/** One day between two backups, and half a day to repeat a failed one. */
const MAX_EXPORT_AGE_MS = 36 * 3_600_000;
const MIN_FREE_BYTES = 100_000_000;
const MIN_FREE_SHARE = 0.1;
const FULL_SHARE = 0.9;

/** Ends `status` with exit code 1, after it has printed the faults. */
export class PlaceNeedsOperator extends Error {
  override readonly name = 'PlaceNeedsOperator';
}

export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

export interface Fault {
  readonly code: string;
  /** One sentence that names the fault and what to do. */
  readonly text: string;
}

/**
 * @param states of all servers on the store @param disk null with a database
 * @returns the faults, the gravest first
 */
export function findFaults(states: readonly ServerState[], disk: DiskSpace | null, now: number): Fault[] {
  const faults: Fault[] = [];
  if (disk !== null && disk.free < Math.min(MIN_FREE_BYTES, MIN_FREE_SHARE * disk.total))
    faults.push({ code: 'disk_full', text: `The disk has ${formatBytes(disk.free)} left: free some space.` });
  const running = states.filter((state) => !isSilent(state, now));
  const killed = states.filter((state) => isSilent(state, now) && !isReplaced(state, running));
  faults.push(...killed.map((state) => killedFault(state, now)));
  const [newest] = running.toSorted((a, b) => b.at - a.at);
  if (newest === undefined) {
    if (killed.length === 0)
      faults.push({ code: 'not_running', text: 'No server is running on this store: start one.' });
    return faults;
  }
  faults.push(...running.flatMap((state) => serverFaults(state, now)), ...placeFaults(newest, now));
  if (new Set(running.map(({ version }) => version)).size > 1)
    faults.push({ code: 'versions', text: 'Servers of different versions are running: finish the upgrade.' });
  // Servers on one store share most faults.
  return [...new Map(faults.map((fault) => [fault.text, fault])).values()];
}

function isReplaced({ listening, at }: ServerState, running: readonly ServerState[]): boolean {
  return running.some((state) => state.listening === listening && state.startedAt > at);
}

const isSilent = ({ at }: ServerState, now: number): boolean => now - at > SILENT_MS;

function killedFault({ listening, at }: ServerState, now: number): Fault {
  const seconds = Math.round((now - at) / 1000);
  return {
    code: 'server_gone',
    text:
      `The server at ${printable(listening)} has written nothing for ${formatDuration(seconds)}: it was ` +
      'killed or has hung.',
  };
}

function serverFaults({ health, clockMovedMs, newest }: ServerState, now: number): Fault[] {
  const faults: Fault[] = [];
  const { writable, reason, frozen, notifying } = health;
  if (frozen === true)
    faults.push({ code: 'frozen', text: 'Writing is frozen: porchlight thaw accepts writes again.' });
  else if (!writable)
    faults.push({
      code: 'not_writable',
      text: `Writes fail: ${printable(reason ?? 'the reason is in the log')}.`,
    });
  if (!notifying)
    faults.push({
      code: 'not_notifying',
      text: 'The database sends no notifications, so waits end seconds late.',
    });
  const ahead = newest === null ? 0 : Date.parse(newest) - now;
  if (ahead > MAX_AHEAD_MS)
    faults.push({
      code: 'clock',
      text:
        `The newest record is ${formatDuration(ahead / 1000)} ahead of the clock: correct the clock of ` +
        'this machine or, if it was only ahead once, import an export into a new store with --clamp.',
    });
  if (Math.abs(clockMovedMs) > MAX_AHEAD_MS)
    faults.push({
      code: 'clock',
      text:
        `The clock was moved by ${formatDuration(Math.abs(clockMovedMs) / 1000)} while the server ran: ` +
        'check it, then restart the server.',
    });
  return faults;
}

function placeFaults(state: ServerState, now: number): Fault[] {
  const { sizeInBytes, maxBytes, reports, held, valveClosed, lastExport, startedAt } = state;
  const faults: Fault[] = [];
  if (sizeInBytes !== null && maxBytes > 0 && sizeInBytes >= maxBytes)
    faults.push({
      code: 'store_full',
      text: 'The store has reached STORE_MAX_BYTES: raise it, and restart.',
    });
  else if (sizeInBytes !== null && maxBytes > 0 && sizeInBytes >= FULL_SHARE * maxBytes)
    faults.push({
      code: 'store_nearly_full',
      text: `The store has ${formatBytes(sizeInBytes)} of ${formatBytes(maxBytes)}: raise STORE_MAX_BYTES.`,
    });
  if (reports.open > 0) {
    const illegal = reports.illegal === 0 ? '' : `, ${reports.illegal} as illegal`;
    faults.push({
      code: 'reports',
      text:
        `${reports.open} ${reports.open === 1 ? 'record is' : 'records are'} reported${illegal}: ` +
        'porchlight reports.',
    });
  }
  if (held > 0)
    faults.push({
      code: 'held',
      text:
        `${held} reported ${held === 1 ? 'record is' : 'records are'} hidden for a day: hide or unhide ` +
        'what porchlight moderation lists.',
    });
  if (valveClosed)
    faults.push({
      code: 'valve_closed',
      text: 'WRITES_PER_MINUTE_TOTAL is reached: only networks that have not written recently may write.',
    });
  if (lastExport === null && now - startedAt > MAX_EXPORT_AGE_MS)
    faults.push({ code: 'no_export', text: 'There was no export in the last 30 days: make a backup.' });
  if (lastExport !== null && now - lastExport > MAX_EXPORT_AGE_MS)
    faults.push({
      code: 'stale_export',
      text: `The last export is ${formatDuration((now - lastExport) / 1000)} old: check the backup.`,
    });
  return faults;
}

/** @returns the faults first */
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
