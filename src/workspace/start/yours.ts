import { visitInSlices } from '#runtime/slice.ts';
import { judgedPost, OUTCOMES, type Step } from '#message/step.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import type { Board } from '#work/board.ts';
import { readCount, toSignature } from '#work/say.ts';
import { countFirst, insertTop, STANDINGS, type Result, type Work } from '#work/thread.ts';
import { distrustedOf, isMember, membersOf, viewOfOpener } from '#work/trusted.ts';
import { isShown, judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
import type { Author, Writer } from '#work/writers.ts';
import { findOwn } from '#workspace/reading/own-steps.ts';
import { fillWithinBudget, jsonBytes } from '#workspace/reading/page.ts';
import { nameSchemas } from '#workspace/schemas/fields.ts';
import { Message, signatureFields } from '#workspace/schemas/post.ts';
import type { Sign } from '#workspace/text/author-key.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';

/** Entries of each list. */
const MAX_LISTED = 5;
/** One more shows that there are others. */
const MAX_FOUND = MAX_LISTED + 1;
/** Messages whose answers without a signer are read: each costs a query. */
const MAX_ASKED = 15;
/** Messages of one signer. */
const MAX_WRITTEN = 3;
/** JSON bytes of the whole. */
const MAX_BYTES = 4000;

const Own = z.object({ id: z.string(), rootId: z.string(), signer: z.string().optional() });

/**
 * What one key has signed and what has become of it, at most five each, newest first. `works`: its open WORKs.
 * `answers`: messages of others since its newest message that reply to or name (`to`) one of its open WORKs,
 * RESULTs or REVIEWs; those of signers who are trusted in the same thread come first, one of each signer.
 * `mayTrust`: who wrote RESULTs or REVIEWs in a thread that it opened, and is neither trusted nor distrusted there.
 * `more` if something is left out.
 */
export const Yours = z.object({
  works: z.array(Own.extend({ dueAt: z.string() })),
  results: z.array(Own.extend({ standing: z.enum(STANDINGS) })),
  reviews: z.array(Own.extend({ counts: Message.shape.counts })),
  answers: z.array(
    z.object({
      id: z.string(),
      to: z.string(),
      rootId: z.string(),
      name: Message.shape.name,
      ...signatureFields,
      trusted: z.boolean(),
      prefix: Message.shape.prefix,
      outcome: z.enum(OUTCOMES).optional(),
      createdAt: z.string(),
    }),
  ),
  mayTrust: z.array(
    z.object({
      rootId: z.string(),
      name: Message.shape.name,
      ...signatureFields,
      wrote: z.array(z.string()),
    }),
  ),
  more: z.literal(true).optional(),
});

nameSchemas({ Yours });

type Yours = z.infer<typeof Yours>;
type Answer = Yours['answers'][number];
type Candidate = Yours['mayTrust'][number];

/** What may be shown: only what is shown gets its signature. */
type Found<Entry> = Entry & { readonly author?: Author };

/** @throws StoreFailure */
export async function readYours(
  read: Pick<Reader, 'referrersOf' | 'related'>,
  board: Board,
  sign: Sign,
): Promise<Yours> {
  const own = await findOwn(board, sign);
  const [works, results, reviews]: [Work[], Result[], Step[]] = [[], [], []];
  await visitInSlices(own, (step) => {
    const [work, result] = [board.works.get(step.id), board.results.get(step.id)];
    if (!isShown({ step })) return;
    if (work !== undefined && statusOf(work).endedBy === null) works.push(work);
    if (result !== undefined) results.push(result);
    if (step.prefix === 'REVIEW') reviews.push(step);
  });
  const items = [...[...works, ...results].map(({ step }) => step), ...reviews];
  const lists = {
    works: works.slice(0, MAX_FOUND).map((work) => ({
      ...toOwn(work.step),
      dueAt: timestampAt(statusOf(work).due.at),
    })),
    results: results.slice(0, MAX_FOUND).map((result) => ({
      ...toOwn(result.step),
      standing: judge(result).standing,
    })),
    reviews: reviews.slice(0, MAX_FOUND).map((step) => {
      const judged = judgedPost(step, () => true);
      return { ...toOwn(step), ...readCount(board, step.id, judged === undefined ? [] : [judged]) };
    }),
    answers: await readAnswers(read, board, items, own[0]?.createdAt ?? ''),
    mayTrust: await findCandidates(board, own),
  };
  const listed = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, list.slice(0, MAX_LISTED)]),
  ) as typeof lists;
  const shown = fillWithinBudget(listed, MAX_BYTES - jsonBytes(EMPTY));
  const count = (all: typeof lists): number => Object.values(all).flat().length;
  return { ...shown, ...(count(shown) < count(lists) && { more: true as const }) };
}

const EMPTY: Yours = { works: [], results: [], reviews: [], answers: [], mayTrust: [], more: true };

const toOwn = ({ id, rootId, mark }: Step): z.infer<typeof Own> => ({ id, rootId, signer: mark });

/** @param items what the key has signed @param since the time of its newest message */
async function readAnswers(
  read: Pick<Reader, 'referrersOf' | 'related'>,
  board: Board,
  items: readonly Step[],
  since: string,
): Promise<Answer[]> {
  const rootOf = new Map(items.map(({ id, rootId }) => [id, rootId]));
  const { steps } = board;
  const later = steps.slice(countFirst(steps, ({ createdAt }) => createdAt <= since)).reverse();
  const answers = new Map<Writer | string, Found<Answer>>();
  await visitInSlices(later, (step) => {
    const to = [step.parentId ?? '', ...step.refersTo].find((id) => rootOf.has(id));
    const author = board.authorOfStep(step.id);
    const by = author?.writer ?? step.id;
    if (to === undefined || author === undefined || !isShown({ step }) || answers.has(by)) return;
    const { id, rootId, name, prefix, outcome, createdAt } = step;
    const thread = board.thread(rootId);
    // Whoever opens another thread is trusted there.
    const isHere = thread !== undefined && rootOf.get(to) === rootId;
    answers.set(by, {
      id,
      to,
      rootId,
      name,
      author,
      trusted: isHere && isMember(viewOfOpener(thread).trusted, author),
      prefix: prefix as Prefix | null,
      ...(outcome !== null && { outcome }),
      createdAt,
    });
  });
  // A message that has neither a signer nor one of the prefixes is no step.
  const asked = items.slice(0, MAX_ASKED);
  const heads = await Promise.all(asked.map(({ id }) => read.referrersOf(id, MAX_FOUND)));
  const plain = heads.flatMap((found, index) =>
    found.flatMap(({ id, name, prefix, createdAt }) =>
      createdAt > since && board.authorOfStep(id) === undefined
        ? [{ id, to: asked[index]?.id ?? '', name, prefix: prefix as Prefix | null, createdAt }]
        : [],
    ),
  );
  const { heads: known } = await read.related({ heads: plain.map(({ id }) => id) });
  for (const one of plain) {
    const { rootId } = known.get(one.id) ?? {};
    if (rootId !== undefined) answers.set(one.id, { ...one, rootId, trusted: false });
  }
  const first: Found<Answer>[] = [];
  await visitInSlices(answers.values(), (answer) => {
    insertTop(first, answer, MAX_FOUND, comesBefore);
  });
  return first.map(({ author, ...answer }) => ({
    ...answer,
    ...(author !== undefined && toSignature(board, author)),
  }));
}

/** Whether an answer is by a trusted signer, or by any, and another is not; of two alike, whether it is newer. */
function comesBefore(one: Found<Answer>, other: Found<Answer>): boolean {
  const [rank, otherRank] = [one, other].map(({ trusted, author }) =>
    trusted ? 2 : Number(author?.writer != null),
  );
  return rank === otherRank ? one.createdAt > other.createdAt : (rank ?? 0) > (otherRank ?? 0);
}

/** Finds the signers whom the key might trust in the threads that it opened, those of the newest messages first. */
async function findCandidates(board: Board, own: readonly Step[]): Promise<Candidate[]> {
  const opened = own.filter(({ mark, opener }) => mark === opener).map(({ rootId }) => rootId);
  const found: Found<Candidate & Pick<Step, 'createdAt'>>[] = [];
  await visitInSlices(new Set(opened), (rootId) => {
    const thread = board.thread(rootId);
    if (thread === undefined) return;
    const settled = new Set([...membersOf(thread), ...distrustedOf(thread)].map(({ signer }) => signer));
    const candidates = new Map<Writer, (typeof found)[number]>();
    for (const message of thread.messages.toReversed()) {
      const { step, author } = message;
      const { writer } = author;
      if (writer === null || settled.has(writer.signer) || !isShown(message)) continue;
      if (step.prefix !== 'RESULT' && step.prefix !== 'REVIEW') continue;
      const known = candidates.get(writer);
      if (known !== undefined) {
        if (known.wrote.length < MAX_WRITTEN) known.wrote.push(step.id);
        continue;
      }
      const { name, createdAt } = step;
      candidates.set(writer, { rootId, name, author, wrote: [step.id], createdAt });
    }
    for (const one of candidates.values())
      insertTop(found, one, MAX_FOUND, (a, b) => a.createdAt > b.createdAt);
  });
  return found.map(({ createdAt: _, author, ...candidate }) => ({
    ...candidate,
    ...(author !== undefined && toSignature(board, author)),
  }));
}
