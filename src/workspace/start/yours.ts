import { visitInSlices } from '#runtime/slice.ts';
import { judgedPost, OUTCOMES, type Step } from '#message/step.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import type { Board } from '#work/board.ts';
import { countsOf } from '#work/message-view.ts';
import { type Signature, toSignature } from '#work/standing-view.ts';
import { isShown, MAX_SHOWN, STANDINGS } from '#work/model.ts';
import { countFirst, insertTop } from '#work/lists.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { isTrusted } from '#work/votes.ts';
import { statusOf } from '#work/works.ts';
import type { Author, Writer } from '#work/writers.ts';
import { headFields } from '#workspace/reading/message.ts';
import { fillWithinBudget, jsonBytes } from '#workspace/reading/page.ts';
import { namedObject } from '#workspace/schemas/fields.ts';
import { MAX_LISTED, Message, signatureFields } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';

/** One entry more than a list shows, to find out whether there are others. */
const MAX_FOUND = MAX_LISTED + 1;
/** For how many messages unsigned answers are read. Each costs a query. */
const MAX_TARGETS = 15;
/** The maximum number of JSON bytes of `yours`. */
const MAX_BYTES = 4000;

const Own = z.object({ id: z.string(), rootId: z.string(), signer: z.string().optional() });

const Answer = z.object({
  id: z.string(),
  to: z.string(),
  name: Message.shape.name,
  trusted: z.boolean(),
  prefix: Message.shape.prefix,
  outcome: z.enum(OUTCOMES).optional(),
  createdAt: z.string(),
});

type Answer = z.infer<typeof Answer>;

const Candidate = z.object({
  rootId: z.string(),
  name: Message.shape.name,
  wrote: z.array(z.string()),
  more: z.literal(true).optional(),
});

type Candidate = z.infer<typeof Candidate>;

/**
 * What one key has signed and what has become of it, at most five each, newest first. `works`: its open
 * WORKs. `withdrawn`: the REVIEW with which it withdraws a RESULT. Votes may still confirm it in its thread.
 * `answers`: messages of others since its newest message that reply to or name (`to`) one of its open WORKs,
 * RESULTs or REVIEWs, one of each signer, trusted signers of the same thread first. Threads in which the
 * opener distrusts it have none. `mayTrust`: signers of RESULTs or REVIEWs in a thread that it opened who are
 * neither trusted nor distrusted there, with their newest three. Signers with a confirmed RESULT there come
 * first. `more` if something is left out.
 */
export const Yours = namedObject('Yours', {
  works: z.array(Own.extend({ dueAt: z.string() })),
  results: z.array(Own.extend({ standing: z.enum(STANDINGS), withdrawn: z.string().optional() })),
  reviews: z.array(Own.extend({ counts: Message.shape.counts })),
  answers: z.array(Answer.extend(signatureFields)),
  mayTrust: z.array(Candidate.extend(signatureFields)),
  more: z.literal(true).optional(),
});

type Yours = z.infer<typeof Yours>;

/**
 * @param own what the key has signed, newest first
 * @param distrusting the ids of threads in which the opener distrusts it
 * @throws StoreFailure
 */
export async function readYours(
  read: Pick<Reader, 'referrersOf'>,
  board: Board,
  own: readonly Step[],
  distrusting: ReadonlySet<string>,
): Promise<Yours> {
  const [works, results, reviews]: [Yours['works'], Yours['results'], Yours['reviews']] = [[], [], []];
  /** The ids of the threads of these messages, by id. */
  const items = new Map<string, string>();
  const opened = new Set<string>();
  await visitInSlices(own, (step) => {
    const { id, rootId, mark: signer, opener } = step;
    const [work, result] = [board.works.get(id), board.results.get(id)];
    const isOpen = work !== undefined && statusOf(work).endedBy === null;
    const isReview = step.prefix === 'REVIEW';
    if (signer === opener) opened.add(rootId);
    if (!isShown({ step }) || (!isOpen && !isReview && result === undefined)) return;
    if (!distrusting.has(rootId)) items.set(id, rootId);
    const message = { id, rootId, signer };
    if (isOpen && works.length < MAX_FOUND)
      works.push({ ...message, dueAt: timestampAt(statusOf(work).dueAt) });
    if (result !== undefined && results.length < MAX_FOUND) {
      const { standing, withdrawal } = judge(result);
      const withdrawn = withdrawal && isShown({ step: withdrawal }) && { withdrawn: withdrawal.id };
      results.push({ ...message, standing, ...withdrawn });
    }
    if (isReview && reviews.length < MAX_FOUND)
      reviews.push({ ...message, ...countsOf(board, id, [judgedPost(step, () => true) ?? []].flat()) });
  });
  const answers = await choose(board, await readAnswers(read, board, items, own[0]?.createdAt ?? ''));
  const mayTrust = await choose(board, await findCandidates(board, opened));
  const lists = { works, results, reviews, answers, mayTrust };
  const shown = fillWithinBudget(lists, MAX_BYTES - jsonBytes(EMPTY), MAX_LISTED);
  const isCut = Object.values(shown).flat().length < Object.values(lists).flat().length;
  return { ...shown, ...(isCut && { more: true as const }) };
}

const EMPTY: Yours = { works: [], results: [], reviews: [], answers: [], mayTrust: [], more: true };

/** An entry that may be shown. Only shown ones get a signature, because there may be thousands. */
interface Ranked<Entry> {
  /** Entries with a higher rank come first. */
  readonly rank: number;
  readonly createdAt: string;
  readonly author?: Author;
  readonly entry: Entry;
}

async function choose<Entry>(board: Board, all: Iterable<Ranked<Entry>>): Promise<(Entry & Signature)[]> {
  const first: Ranked<Entry>[] = [];
  await visitInSlices(all, (one) => {
    insertTop(first, one, MAX_FOUND, (a, b) =>
      a.rank === b.rank ? a.createdAt > b.createdAt : a.rank > b.rank,
    );
  });
  return first.map(({ author, entry }) => ({ ...entry, ...(author && toSignature(board, author)) }));
}

/**
 * Reads the messages that reply to an item or name it: the newest by each signer, and unsigned ones.
 * @param items what the key has signed, newest first: the id of each, and its thread
 * @param since the time of the newest message that the key has signed
 */
async function readAnswers(
  read: Pick<Reader, 'referrersOf'>,
  board: Board,
  items: ReadonlyMap<string, string>,
  since: string,
): Promise<Iterable<Ranked<Answer>>> {
  const { steps } = board;
  const later = steps.slice(countFirst(steps, ({ createdAt }) => createdAt <= since)).reverse();
  const found = new Map<Writer | string, Ranked<Answer>>();
  await visitInSlices(items.size === 0 ? [] : later, (step) => {
    const { id, rootId, outcome, createdAt } = step;
    const to = [step.parentId ?? '', ...step.refersTo].find((target) => items.has(target));
    const author = board.authorOfStep(id);
    const by = author?.writer ?? id;
    if (to === undefined || author === undefined || !isShown({ step }) || found.has(by)) return;
    const thread = board.thread(rootId);
    // Trust applies within one thread. In another one, someone else decides about it.
    const isHere = thread !== undefined && items.get(to) === rootId;
    const trusted = isHere && isTrusted(viewpointOfOpener(thread), author);
    const rank = trusted ? 2 : Number(author.writer !== null);
    const entry = { ...toAnswer(step, to), trusted, ...(outcome !== null && { outcome }) };
    found.set(by, { rank, createdAt, author, entry });
  });
  // The board lacks messages with neither a signer nor a prefix, which are no steps.
  const targets = [...items.keys()].slice(0, MAX_TARGETS);
  const heads = await Promise.all(targets.map((id) => read.referrersOf(id, MAX_FOUND)));
  for (const [index, to] of targets.entries())
    for (const head of heads[index] ?? []) {
      const { id, createdAt } = head;
      if (createdAt <= since || found.has(id) || board.authorOfStep(id) !== undefined) continue;
      found.set(id, { rank: 0, createdAt, entry: toAnswer(head, to) });
    }
  return found.values();
}

const toAnswer = (head: Parameters<typeof headFields>[0], to: string): Answer => ({
  ...headFields(head),
  to,
  trusted: false,
});

/** Finds signers that the key could trust in the threads that it opened. */
async function findCandidates(board: Board, opened: ReadonlySet<string>): Promise<Ranked<Candidate>[]> {
  const found: Ranked<Candidate>[] = [];
  await visitInSlices(opened, (rootId) => {
    const thread = board.thread(rootId);
    if (thread === undefined) return;
    const { trusted, distrusted } = viewpointOfOpener(thread);
    const known = new Map<Writer, Ranked<Candidate> & { rank: number }>();
    for (const { step, author } of thread.messages.toReversed()) {
      const { id, name, createdAt } = step;
      const { writer } = author;
      const isWork = step.prefix === 'RESULT' || step.prefix === 'REVIEW';
      if (!isWork || writer === null || !isShown({ step })) continue;
      if (trusted.has(writer) || distrusted.has(writer)) continue;
      const one = known.get(writer) ?? { rank: 0, createdAt, author, entry: { rootId, name, wrote: [] } };
      if (one.entry.wrote.length < MAX_SHOWN) one.entry.wrote.push(id);
      else one.entry.more = true;
      const result = board.results.get(id);
      if (result !== undefined && judge(result).byVotes === 'confirmed') one.rank = 1;
      if (!known.has(writer)) found.push(one);
      known.set(writer, one);
    }
  });
  return found;
}
