import { setTimeout } from 'node:timers/promises';
import type { Logger } from './logger.ts';
import { isClaimed, type HookEvent, type PendingEvent } from '#workspace/moderation/pending-events.ts';
import { toCommand, toUntrustedText, type OperatorLinks } from '#workspace/moderation/operator-links.ts';
import type { Reports } from '#workspace/moderation/reports.ts';
import { absoluteUrl, postUrl, recordUrl, type Service } from '#workspace/service/service.ts';
import { DAY_MS, dayAt, HOUR_MS } from '#workspace/text/time.ts';
import type { ServiceEvent } from '#private/private-store.ts';
import type { AnyRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';

/** The body of a message to the operator, without IP addresses. JSON omits undefined members. */
export interface HookMessage {
  readonly event: HookEvent;
  readonly service: string;
  /** RFC 3339. */
  readonly at: string;
  readonly id: string | undefined;
  readonly url: string | undefined;
  readonly reason: string | undefined;
  readonly reports?: number | undefined;
  /** The number of events left out since the last message, by name; `porchlight reports` lists all. */
  readonly more?: Partial<Record<HookEvent, number>> | undefined;
  /** The page of the thread or project. */
  readonly thread?: string | undefined;
  readonly command?: string | undefined;
  /** The URL at which the operator hides or keeps the record. */
  readonly act?: string | undefined;
  /** The last member, since a stranger wrote it. */
  readonly untrustedText?: string | undefined;
}

/** The limits by class. Only `service` is beyond the reach of strangers, so each class has its own limit. */
const MESSAGES_AN_HOUR = { illegal: 10, report: 10, hold: 10, valve: 2, service: 10 };
/** Additional messages of a class for each of `RESERVE_STEPS` that the reporting networks reach. */
const RESERVE = 5;
const RESERVE_STEPS = [2, 3, 5, 9];

/** The maximum number of events that a message counts, which bounds its journal entry. */
const MAX_COUNTED = 1000;

const TRIES = 3;
/** The next attempt begins after this time, even if the previous one has no response yet. */
const BETWEEN_TRIES_MS = 3_000;
const TIMEOUT_MS = 5_000;
/** Pause after three failed attempts. */
const PAUSE_MS = 60_000;

type MessageClass = keyof typeof MESSAGES_AN_HOUR;
const CLASSES = Object.keys(MESSAGES_AN_HOUR) as MessageClass[];

export interface OperatorHookOptions {
  readonly url: string;
  readonly service: Service<string>;
  readonly read: Pick<Reader, 'records'>;
  readonly links: Pick<OperatorLinks, 'create'> | undefined;
  readonly reports: Pick<Reports, 'state' | 'append'>;
  /** Unique among the processes. */
  readonly processId: string;
  readonly newKey: () => string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Sends one request. Rejects unless the response is a success. */
  readonly post?: (url: string, body: string) => Promise<void>;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** One of the processes that share the journal sends each event to HOOK_URL, at least once. */
export class OperatorHook {
  readonly #options: OperatorHookOptions;
  /** Until when each class sends nothing; Infinity while one of its messages is being sent. */
  readonly #busyUntil = new Map<MessageClass, number>();
  #sending = new Set<Promise<void>>();
  /** The hour since 1970 in which this process first saw each quiet event, by the key of the event. */
  #quietSince = new Map<string, number>();

  constructor(options: OperatorHookOptions) {
    this.#options = options;
  }

  /** Appends an event to the journal. If that fails, sends it at once, unless strangers can cause it. */
  async note(event: ServiceEvent): Promise<void> {
    const { reports, newKey, now } = this.#options;
    try {
      await reports.append({ type: 'event', at: now(), key: newKey(), event });
    } catch {
      if (toClass({ event }) === 'service')
        this.#run('service', () => this.#deliver(this.#toMessage({ event })));
    }
  }

  async sendDue(): Promise<void> {
    const { reports, now } = this.#options;
    const time = now();
    const state = await reports.state();
    const pending = state.events.since(dayAt(time - DAY_MS));
    const hour = Math.floor(time / HOUR_MS);
    const quiet = pending.filter(({ isQuiet }) => isQuiet);
    this.#quietSince = new Map(quiet.map(({ key }) => [key, this.#quietSince.get(key) ?? hour]));
    for (const name of CLASSES) {
      if ((this.#busyUntil.get(name) ?? 0) > time) continue;
      const due = pending.filter((event) => toClass(event) === name && !isClaimed(event, time));
      const loud = due.filter(({ isQuiet }) => isQuiet !== true);
      const max = MESSAGES_AN_HOUR[name];
      const sent = state.events.sentInHour(name, time);
      const wasFull = state.events.sentInHour(name, time - HOUR_MS) >= max;
      // The first message of an hour counts the events that the hour before left out.
      const leftOut = due.filter(({ key }) => (this.#quietSince.get(key) ?? (wasFull ? 0 : hour)) < hour);
      // Another process sends the first message of the hour, which may count the events that are due here.
      const isUnderWay = pending.some((event) => toClass(event) === name && isClaimed(event, time));
      if (sent === 0 && leftOut.length > 0 && isUnderWay) continue;
      const counted = sent === 0 ? leftOut.slice(0, MAX_COUNTED) : [];
      const reserve = ({ id = '' }: PendingEvent): number => {
        const networks = state.item(id)?.networksOnADay ?? 0;
        return RESERVE * RESERVE_STEPS.filter((step) => networks >= step).length;
      };
      const most = Math.max(0, ...loud.map(reserve));
      const confirmed = most === 0 ? undefined : loud.find((event) => reserve(event) === most);
      const first = confirmed ?? loud.at(counted.length > 0 ? -1 : 0) ?? counted[0];
      if (first === undefined || sent >= max + most) continue;
      this.#run(name, () => this.#claimAndSend(name, [first, ...counted.filter((event) => event !== first)]));
    }
  }

  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  #run(name: MessageClass, send: () => Promise<boolean>): void {
    this.#busyUntil.set(name, Infinity);
    const sending = send()
      .catch(() => false)
      .then((isSent) => {
        this.#busyUntil.set(name, isSent ? 0 : this.#options.now() + PAUSE_MS);
        this.#sending.delete(sending);
        return isSent ? this.sendDue().catch(() => undefined) : undefined;
      });
    this.#sending.add(sending);
  }

  /** @returns whether the next message of the class may follow at once */
  async #claimAndSend(name: MessageClass, events: readonly PendingEvent[]): Promise<boolean> {
    const { reports, processId, now } = this.#options;
    const [first] = events;
    if (first === undefined) return true;
    await reports.append({ type: 'claim', at: now(), key: first.key, by: processId });
    const state = await reports.state();
    const claimed = state.events.find(first.key);
    // Another process claimed the event first, and sends it.
    if (claimed?.claim?.by !== processId) return true;
    const networks = state.item(first.id ?? '')?.networks;
    let more: HookMessage['more'];
    for (const { event } of events.slice(1)) more = { ...more, [event]: (more?.[event] ?? 0) + 1 };
    const message = this.#toMessage(first, { reports: networks, more });
    if (!(await this.#deliver({ ...message, ...(await this.#describe(first)) }))) return false;
    await reports.append({ type: 'sent', at: now(), class: name, keys: events.map(({ key }) => key) });
    return true;
  }

  #toMessage(
    { event, id, reason }: Pick<PendingEvent, 'event' | 'id' | 'reason'>,
    counts: Pick<HookMessage, 'reports' | 'more'> = {},
  ): HookMessage {
    const { service, now } = this.#options;
    const at = new Date(now()).toISOString();
    return { event, service: service.name, at, id, url: id && recordUrl(service, id), reason, ...counts };
  }

  /** @returns the members of a message that describe its record; fewer if a store fails */
  async #describe({ id, reason }: PendingEvent): Promise<Partial<HookMessage>> {
    if (id === undefined) return {};
    const { service, read, links } = this.#options;
    const [found] = await read.records([id]).catch(() => []);
    if (found === undefined) return {};
    return {
      thread: threadOf(service, found.record),
      command: toCommand('hide', id, reason),
      act: await links?.create(id).catch(() => undefined),
      untrustedText: toUntrustedText(found.record),
    };
  }

  async #deliver(message: HookMessage): Promise<boolean> {
    const { url, logger, post = postJson, sleep = defaultSleep } = this.#options;
    const body = JSON.stringify(message);
    const tries: Promise<boolean>[] = [];
    for (let count = 0; count < TRIES; count++) {
      const sending = post(url, body).then(
        () => true,
        (error: unknown) => {
          // The URL may contain a password.
          logger.warn({ event: message.event, code: describe(error) }, 'HOOK_URL could not be reached');
          return false;
        },
      );
      tries.push(sending);
      const pause = sleep(BETWEEN_TRIES_MS);
      if (await Promise.race([sending, pause.then(() => false)])) return true;
      await pause;
    }
    return (await Promise.all(tries)).includes(true);
  }
}

function toClass({ event }: Pick<PendingEvent, 'event'>): MessageClass {
  if (event === 'illegal' || event === 'report') return event;
  if (event === 'valve_closed' || event === 'valve_open') return 'valve';
  return event === 'hold' || event === 'holds_used_up' ? 'hold' : 'service';
}

function threadOf(service: Service<string>, record: AnyRecord): string | undefined {
  if ('rootId' in record) return postUrl(service, record.rootId);
  return 'projectId' in record ? absoluteUrl(service, `/projects/${record.projectId}`) : undefined;
}

const defaultSleep = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false });

/** @throws Error unless the response is a success. A redirect is not */
async function postJson(url: string, body: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = (error.cause ?? {}) as { code?: string };
  return code ?? (error.message.startsWith('status ') ? error.message : error.name);
}
