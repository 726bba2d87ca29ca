import { createHash } from 'node:crypto';
import { cutText } from '#message/code-points.ts';
import type { ReportReason } from '#private/private-store.ts';
import type { AnyRecord } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { RefusalLimit } from '#workspace/limits/refusal-limit.ts';
import { findLatestModerations } from '#workspace/moderation/operator-writes.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { absoluteUrl, type Service } from '#workspace/service/service.ts';
import { isJudged, type Holds } from './holds.ts';
import { HOLD_MS, MAX_HELD } from './report-state.ts';
import type { Reports } from './reports.ts';

export const LINK_PATH = '/operator/';

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

const LOOPBACK = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/;

interface OperatorLinksOptions {
  readonly store: Pick<Store, 'read'>;
  readonly reports: Pick<Reports, 'state' | 'append'>;
  readonly holds: Pick<Holds, 'update'>;
  readonly service: Service<string>;
  readonly newSecret: () => string;
  /** Creates a key that is unique among all processes. */
  readonly newKey: () => string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

export type LinkedRecord = Awaited<ReturnType<OperatorLinks['open']>>;

/**
 * URLs with a secret, with which an operator hides one reported record for a day, or lets it stay. The
 * journal has the hashes of the secrets, and decides which of several uses was the first.
 */
export class OperatorLinks {
  readonly #options: OperatorLinksOptions;
  readonly #guesses: RefusalLimit;

  constructor(options: OperatorLinksOptions) {
    this.#options = options;
    this.#guesses = new RefusalLimit(options.now, 'link');
  }

  /**
   * @returns undefined for a record that an operator has judged, and for a service without HTTPS, where
   *   others could read the URL in transit
   * @throws StoreFailure
   */
  async create(id: string): Promise<string | undefined> {
    const { reports, service, newSecret, now } = this.#options;
    if (!service.baseUrl.startsWith('https:') && !LOOPBACK.test(service.baseUrl)) return undefined;
    if (await this.#isJudged(id)) return undefined;
    const secret = newSecret();
    await reports.append({ type: 'link', at: now(), id, hash: hashOf(secret) });
    return absoluteUrl(service, `${LINK_PATH}${secret}`);
  }

  /** @throws WorkspaceError not_found, with the same text for every link that cannot be used; rate_limited */
  async open(secret: string, caller: Caller) {
    const { store, reports, now } = this.#options;
    const state = await reports.state();
    const link = SECRET.test(secret) ? state.link(hashOf(secret), now()) : undefined;
    if (link === undefined) {
      const reached = this.#guesses.reached(caller);
      this.#guesses.count(caller);
      throw reached ?? unusableError();
    }
    const [found] = await store.read.records([link.id]);
    if (found === undefined || (await this.#isJudged(link.id))) throw unusableError();
    return {
      ...link,
      record: found.record,
      reasons: state.item(link.id)?.reasons ?? new Map<ReportReason, number>(),
    };
  }

  /**
   * Uses a link: hides its record for 24 hours, or ends its hold and prevents another one for 24 hours.
   * @returns when that ends, in milliseconds since 1970; undefined if links already hide `MAX_HELD` records
   * @throws WorkspaceError not_found, rate_limited; StoreFailure
   */
  async judge(secret: string, hides: boolean, caller: Caller): Promise<number | undefined> {
    const { reports, holds, newKey, now } = this.#options;
    const { id } = await this.open(secret, caller);
    const [at, key] = [now(), newKey()];
    const isFull = async (): Promise<boolean> => hides && (await reports.state()).heldByLinks(at) >= MAX_HELD;
    if (await isFull()) return undefined;
    await reports.append({ type: 'verdict', at, key, id, hash: hashOf(secret), hides });
    // Another use of this link, or uses of other links, may have come first.
    if (!(await reports.state()).hasEvent(key)) {
      if (await isFull()) return undefined;
      throw unusableError();
    }
    // The journal has the decision. After a failure, the next poll of a server applies it.
    await holds.update().catch(() => undefined);
    return at + HOLD_MS;
  }

  async #isJudged(id: string): Promise<boolean> {
    const { store, reports } = this.#options;
    if ((await reports.state()).isKept(id)) return true;
    return isJudged((await findLatestModerations(store.read, [id])).get(id));
  }
}

/** @returns the texts of a record, for the operator */
export function textOf(record: AnyRecord): string {
  if ('message' in record) return record.message;
  if ('note' in record) return record.note;
  const { title, summary, url, looking_for } = record;
  return [title, summary, url, looking_for].filter((text) => text !== null).join('\n');
}

const MAX_TEXT_LENGTH = 200;

/** Replacements for characters that begin a mention, a link or an entity in chats. */
const NEUTRAL: Readonly<Record<string, string>> = { '@': '＠', '<': '‹', '>': '›', '&': '＆' };

/** @returns the name and the beginning of the texts on one line, without mentions and links */
export function toUntrustedText(record: AnyRecord): string {
  const name = 'by' in record ? record.by : record.name;
  const text = [name ?? [], textOf(record)].flat().join(': ');
  const line = cutText(text.replaceAll(/\s+/g, ' '), MAX_TEXT_LENGTH);
  return line.replaceAll(/[@<>&]/g, (character) => NEUTRAL[character] ?? '');
}

export const reasonWords = (reason: ReportReason): string => reason.replace('_', ' ');

/** @param reason why it was reported @returns the command with which an operator decides permanently */
export function toCommand(command: 'hide' | 'unhide' | 'keep', id: string, reason?: ReportReason): string {
  const why = command === 'hide' ? ((reason && reasonWords(reason)) ?? 'reported') : 'it may stay';
  return `porchlight ${command} ${id} --reason "${why}"`;
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

function unusableError(): WorkspaceError {
  return new WorkspaceError(
    'not_found',
    'This link is unknown, used or expired; porchlight reports lists what still needs a decision.',
  );
}
