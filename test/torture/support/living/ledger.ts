import { createHash } from 'node:crypto';
import type { Tally } from '../../scenario.ts';

const TOKEN = /tok(\d+)e/g;
const MAX_PRINTED = 200;
const MAX_RECENT = 300;

export const KINDS = ['IDEA', 'WORK', 'RESULT', 'REVIEW', 'CHANGE', 'none'] as const;
export type Kind = (typeof KINDS)[number];

export interface Stored {
  readonly id: string;
  readonly rootId: string;
  readonly createdAt: string;
  readonly kind: Kind;
}

interface Sent {
  /** Of the text. */
  readonly digest: string;
  state: 'open' | 'acknowledged' | 'refused' | 'unknown';
  id: string | undefined;
  /** When an operator began to remove it, and when the command had succeeded. On the scale of performance.now(). */
  goingAt?: number;
  goneAt?: number;
  isErased?: boolean;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64').slice(0, 16);

/** What agents sent, what was answered, and what operators removed. Each text has a token with its number. */
export class Ledger {
  readonly #sent: Sent[] = [];
  readonly #byId = new Map<string, Sent>();
  readonly #tally: Tally;
  readonly #print: (line: string) => void;
  readonly #refusals = new Map<string, number>();
  #violations = 0;
  /** The newest acknowledged messages that nobody removes. */
  readonly recent: Stored[] = [];
  readonly reported = new Set<string>();
  acknowledged = 0;
  repeats = 0;

  constructor(tally: Tally, print: (line: string) => void) {
    this.#tally = tally;
    this.#print = print;
  }

  get violations(): number {
    return this.#violations;
  }

  get removed(): { hidden: number; erased: number } {
    const gone = this.#sent.filter(({ goneAt }) => goneAt !== undefined);
    const erased = gone.filter(({ isErased }) => isErased).length;
    return { hidden: gone.length - erased, erased };
  }

  get refusals(): string {
    return [...this.#refusals].map(([code, times]) => `${times} ${code}`).join(', ') || 'none';
  }

  /** @param detail is printed, and not counted */
  violation(fault: string, detail = ''): void {
    this.#violations += 1;
    this.#tally.expect(false, fault);
    if (this.#violations <= MAX_PRINTED) this.#print(`VIOLATION: ${fault} ${detail}`.trimEnd());
  }

  /** @param toText receives the token */
  begin(toText: (token: string) => string): { readonly number: number; readonly text: string } {
    const number = this.#sent.length;
    const text = toText(`tok${number}e`);
    this.#sent.push({ digest: digestOf(text), state: 'open', id: undefined });
    return { number, text };
  }

  acknowledge(number: number, stored: Stored): void {
    const sent = this.#sent[number]!;
    if (sent.id !== undefined && sent.id !== stored.id)
      this.violation('a repeat with its key has another id', `${sent.id} ${stored.id}`);
    if (sent.state === 'acknowledged') {
      this.repeats += 1;
      return;
    }
    sent.state = 'acknowledged';
    sent.id = stored.id;
    this.#byId.set(stored.id, sent);
    this.acknowledged += 1;
    this.recent.push(stored);
    if (this.recent.length > MAX_RECENT) this.recent.shift();
  }

  /** @param code of an answer that says that nothing is stored */
  refuse(number: number, code: string): void {
    this.#sent[number]!.state = 'refused';
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }

  /** A write without a key had no answer, or one that leaves it open. */
  leaveOpen(number: number): void {
    this.#sent[number]!.state = 'unknown';
  }

  /** Before an operator removes a message: from now on a read may or may not have it. */
  remove(id: string): (isErased: boolean) => void {
    const sent = this.#byId.get(id)!;
    sent.goingAt = performance.now();
    const at = this.recent.findIndex((one) => one.id === id);
    if (at >= 0) this.recent.splice(at, 1);
    return (isErased) => {
      sent.goneAt = performance.now();
      sent.isErased = isErased;
    };
  }

  /** Whether each read must find a message. */
  isVisible(id: string): boolean {
    const sent = this.#byId.get(id);
    return sent !== undefined && sent.goingAt === undefined;
  }

  /** Expects no text of a message that was gone before the call. @param since when the call began */
  inspect(body: string, since: number, where: string): void {
    for (const [, number] of body.matchAll(TOKEN)) {
      const { goneAt = Infinity, id } = this.#sent[Number(number)] ?? {};
      if (goneAt < since) this.violation('a read showed a removed text', `${where} ${id}`);
    }
  }

  /** @param posts a whole feed, newest first */
  auditFeed(posts: readonly { id: string; createdAt: string; message: string }[], name: string): void {
    const ids = new Set(posts.map(({ id }) => id));
    const isOrdered = posts.every(({ createdAt }, n) => n === 0 || createdAt < posts[n - 1]!.createdAt);
    if (ids.size < posts.length) this.violation(`the feed of ${name} has a message twice`);
    if (!isOrdered) this.violation(`the feed of ${name} has no strict order`);
    for (const [id, { goingAt, goneAt }] of this.#byId) {
      if (goingAt === undefined && !ids.has(id)) this.#lose(`the feed of ${name} lacks a message`, id);
      if (goneAt !== undefined && ids.has(id))
        this.violation(`the feed of ${name} has a removed message`, id);
    }
  }

  /** @param messages all of the store, by id, hidden ones too */
  auditStore(messages: ReadonlyMap<string, string>): void {
    const stored = new Map<number, string>();
    for (const [id, text] of messages) {
      for (const number of new Set(Array.from(text.matchAll(TOKEN), ([, digits]) => Number(digits)))) {
        if (stored.has(number)) this.violation('a message is stored twice', `${stored.get(number)} ${id}`);
        stored.set(number, id);
        if (digestOf(text) !== this.#sent[number]?.digest) this.violation('a text has changed', id);
      }
    }
    for (const [number, { state, id, isErased = false, goingAt, goneAt }] of this.#sent.entries()) {
      const isStored = stored.has(number);
      if (isErased && isStored) this.violation('an erased text is in the export', id);
      const isCertain = goingAt === undefined || goneAt !== undefined;
      if (state === 'acknowledged' && isCertain && !isErased && stored.get(number) !== id)
        this.#lose('an acknowledged message is missing', `${number} ${id}`);
      if (state === 'refused' && isStored) this.violation('a refused message is stored', stored.get(number));
      if (state === 'open') this.violation('a message was never answered', String(number));
    }
  }

  /** @returns tokens of erased messages */
  erasedTokens(): string[] {
    return this.#sent.flatMap(({ isErased }, number) => (isErased === true ? `tok${number}e` : []));
  }

  #lose(fault: string, detail: string): void {
    this.#tally.lost += 1;
    this.violation(fault, detail);
  }
}
