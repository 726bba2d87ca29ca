import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../time.ts';
import { SeededRandom } from '../random.ts';
import { Client, type Outcome, type World } from './client.ts';
import { checkNews, type News } from './follower.ts';
import { KINDS, type Kind, type Stored } from './ledger.ts';

const RETRY_MS = 300;
const MAX_WAIT_SECONDS = 5;
/** From the first call of a write. */
const GIVE_UP_MS = 120_000;
const KEY_SECONDS = 60;
const MAX_OWN = 20;
const PADDING = 'Ein ruhiger Ort, 静かな場所, un lieu calme 🕯️ "quoted" \\ <b>.\n';

/** Nothing is stored after these; other codes leave it open, or say that the network has to wait. */
const REFUSALS = new Set(['thread_changed', 'invalid_reply_target']);
const OPEN = new Set(['storage_unavailable', 'storage_outcome_unknown', 'shutting_down']);

interface Receipt extends Omit<Stored, 'kind'> {
  readonly duplicate: boolean;
}

interface Form {
  /** The kind of message that it answers; any kind if it is left out. */
  readonly answers?: Kind;
  /** @param target the id of what it answers */
  readonly toText: (token: string, target: string) => string;
}

const FORMS: Readonly<Record<Kind, Form>> = {
  IDEA: { toText: (token) => `IDEA: count the benches of park ${token}\nWho benefits: whoever walks there` },
  WORK: { answers: 'IDEA', toText: (token, target) => `WORK: ${token}\nStep I am taking: ${target}` },
  RESULT: { answers: 'IDEA', toText: (token, target) => `RESULT: a list, ${token}\nIt is for ${target}.` },
  REVIEW: {
    answers: 'RESULT',
    toText: (token, target) =>
      `REVIEW: ${token}\nResult being checked: ${target}\nChecks performed: counted again\nOutcome: confirmed`,
  },
  CHANGE: { toText: (token, target) => `CHANGE: ${token} since ${target}` },
  none: { toText: (token, target) => `An answer, ${token}, to ${target}` },
};

/** A scripted agent with a key and a network of its own: it reads, waits, posts, and repeats itself. */
export class Agent {
  readonly #world: World;
  readonly #client: Client;
  readonly #random: SeededRandom;
  readonly #number: number;
  readonly #run: number;
  /** The newest of its messages. */
  readonly #own: string[] = [];
  #key = '';
  #cursor: string | undefined;

  /** @param run distinguishes the idempotency keys of this run */
  constructor(world: World, number: number, run: number) {
    this.#world = world;
    this.#number = number;
    this.#run = run;
    this.#client = new Client(world, number);
    this.#random = new SeededRandom(run * 1000 + number);
  }

  /** @param meanPauseMs between two of its calls */
  async live(meanPauseMs: number): Promise<void> {
    const { ending, ledger } = this.#world;
    const hasKey = await waitUntil(KEY_SECONDS, async () => {
      const path = '/api/start?newAuthorKey=true';
      const start = await this.#client.rest<{ authorKey: string }>('a key', this.#server(), path);
      this.#key = start?.output?.authorKey ?? '';
      return this.#key !== '';
    });
    if (!hasKey) ledger.violation('an agent got no key');
    while (!ending.aborted) {
      const turn = this.#random.below(10);
      if (turn < 4) await this.#write();
      else if (turn < 6) await this.#wait();
      else if (turn < 9) await this.#read();
      else await this.#report();
      const pause = this.#random.below(2 * meanPauseMs);
      await sleep(pause, undefined, { signal: ending }).catch(() => undefined);
    }
  }

  /** Mostly the server that its network gets first. */
  #server(): number {
    return this.#random.below(5) === 0 ? this.#random.below(2) : this.#number % 2;
  }

  #target(kind?: Kind): Stored | undefined {
    const { recent } = this.#world.ledger;
    const fitting = kind === undefined ? recent : recent.filter((one) => one.kind === kind);
    // Most often the newest: another server may have stored it a moment ago.
    const last =
      fitting.length - 1 - this.#random.below(this.#random.below(2) === 0 ? 3 : fitting.length + 1);
    return fitting[Math.max(0, last)];
  }

  async #write(): Promise<void> {
    const { ledger } = this.#world;
    const random = this.#random;
    const kind = KINDS[random.below(KINDS.length)] ?? 'none';
    const { answers, toText } = FORMS[kind];
    const target = kind === 'IDEA' ? undefined : this.#target(answers);
    if (kind !== 'IDEA' && target === undefined) return;
    const padding = PADDING.repeat(random.below(40) === 0 ? 100 : random.below(6));
    const { number, text } = ledger.begin((token) =>
      [toText(token, target?.id ?? ''), padding].join('\n').trim(),
    );
    const message = {
      ...(target !== undefined && { replyTo: target.rootId }),
      name: `Agent ${this.#number}`,
      authorKey: this.#key,
      message: text,
      ...(random.below(3) === 0 && this.#cursor !== undefined && { readUpTo: this.#cursor }),
    };
    const hasKey = random.below(8) > 0;
    const post = (): Promise<Outcome<Receipt> | undefined> =>
      this.#post(hasKey ? { ...message, idempotencyKey: `living-${this.#run}-${number}` } : message);
    const giveUpAt = performance.now() + GIVE_UP_MS;
    for (;;) {
      const outcome = await post();
      const { output, code } = outcome ?? {};
      if (output !== undefined) {
        this.#acknowledge(number, kind, output);
        break;
      }
      if (code !== undefined && !OPEN.has(code)) {
        if (!REFUSALS.has(code)) ledger.violation('a write was refused', code);
        ledger.refuse(number, code);
        return;
      }
      if (!hasKey) {
        if (code === 'storage_unavailable') ledger.refuse(number, code);
        else ledger.leaveOpen(number);
        return;
      }
      if (performance.now() > giveUpAt) return;
      await sleep(RETRY_MS);
    }
    if (!hasKey || random.below(5) > 0) return;
    const { output, code = 'no answer' } = (await post()) ?? {};
    if (output !== undefined) {
      if (!output.duplicate) ledger.violation('a repeat is no duplicate', output.id);
      ledger.acknowledge(number, { ...output, kind });
    } else if (!OPEN.has(code) && code !== 'no answer') ledger.violation('a repeat was refused', code);
  }

  #acknowledge(number: number, kind: Kind, { id, rootId, createdAt }: Receipt): void {
    this.#world.ledger.acknowledge(number, { id, rootId, createdAt, kind });
    this.#own.push(id);
    if (this.#own.length > MAX_OWN) this.#own.shift();
  }

  #post(args: Readonly<Record<string, unknown>>): Promise<Outcome<Receipt> | undefined> {
    const server = this.#server();
    if (this.#random.below(2) === 0) return this.#client.callTool('post_message', server, args);
    return this.#client.rest('a post', server, '/api/feed', { body: args });
  }

  /** Waits for answers to its messages, or for what is new to it. */
  async #wait(): Promise<void> {
    const { ledger } = this.#world;
    const posts = this.#random.below(2) === 0 ? this.#own.filter((id) => ledger.isVisible(id)) : [];
    const waitSeconds = this.#random.below(MAX_WAIT_SECONDS);
    const query = new URLSearchParams({
      wait: String(waitSeconds),
      view: 'preview',
      ...(this.#cursor !== undefined && { after: this.#cursor }),
      ...(posts.length > 0 && { posts: posts.join(',') }),
    });
    const path = `/api/updates?${query}`;
    const news = await this.#client.rest<News>('a wait', this.#server(), path, { waitSeconds });
    if (news?.code !== undefined && !OPEN.has(news.code)) ledger.violation('a wait was refused', news.code);
    if (news?.output === undefined) return;
    if (this.#cursor !== undefined) checkNews(this.#world, this.#cursor, news.output);
    for (const id of news.output.unknownPosts ?? [])
      if (ledger.isVisible(id)) ledger.violation('a wait did not know an acknowledged message', id);
    if (posts.length === 0) this.#cursor = news.output.nextAfter;
  }

  async #read(): Promise<void> {
    const { ledger } = this.#world;
    const random = this.#random;
    const { id } = this.#target() ?? {};
    if (id === undefined) return;
    const ofMessage = [`/api/posts/${id}`, `/api/posts/${id}?view=state`, `/posts/${id}`, `/posts/${id}.txt`];
    const others = ['/', '/feed', '/results', '/work', '/feed.xml', '/feed.atom', '/api/start', '/api/work'];
    const queries = ['limit=30', 'view=preview&limit=100', 'q=benches', 'prefix=RESULT'];
    const paths = [...ofMessage, ...ofMessage, ...others, ...queries.map((query) => `/api/feed?${query}`)];
    const path = paths[random.below(paths.length)]!;
    const name = path.replace(id, 'ID');
    const look = () => this.#client.send(name, this.#server(), path);
    let answer = await look();
    // A page of a reply redirects to its thread, whose first message may have been removed since then.
    if (answer?.status === 404 || answer?.status === 410) answer = await look();
    if (answer === undefined || answer.status === 200 || answer.status === 503) return;
    const isGone = answer.status === 404 || answer.status === 410;
    if (!isGone || !path.includes(id)) ledger.violation(`a read had status ${answer.status}`, name);
    else if (ledger.isVisible(id))
      ledger.violation('a read did not find an acknowledged message', `${answer.status} ${path}`);
  }

  async #report(): Promise<void> {
    const { id } = this.#target() ?? {};
    if (id === undefined || this.#random.below(4) > 0) return;
    const body = { id, reason: 'spam' };
    const report = await this.#client.rest('a report', this.#server(), '/api/reports', { body });
    if (report?.output !== undefined) this.#world.ledger.reported.add(id);
  }
}
