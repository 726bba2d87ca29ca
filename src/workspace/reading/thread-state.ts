import { cutText } from '#message/code-points.ts';
import type { RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { isCopy } from '#work/copies.ts';
import { type Member, membersOf, distrustedOf, viewOfSigner, viewOfOpener } from '#work/trusted.ts';
import { copiesOf, evidenceLine, signatureOf } from '#work/say.ts';
import type { Idea, Result, Standing, View } from '#work/thread.ts';
import { isEnded, isShown, judge, MAX_CHECKS, withChecks, type Check, type Checked } from '#work/verdicts.ts';
import { freeParts, isUnderWay } from '#work/parts.ts';
import { chooseWorks } from '#work/works.ts';
import type { ThreadState } from '#workspace/schemas/thread.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { toTitle } from '#workspace/text/title.ts';
import { toUnderWay } from './under-way.ts';

type State = z.infer<typeof ThreadState>;
export type ResultInBrief = NonNullable<State['results'][Standing]>[number];
type CheckInBrief = NonNullable<ResultInBrief['checks']>[number];

/** The order of the standings for a reader. */
const ORDER: readonly Standing[] = [
  'confirmed',
  'partlyConfirmed',
  'unreviewed',
  'reviewed',
  'contested',
  'refuted',
  'replaced',
  'withdrawn',
];

const MAX_CONFIRMED = 12;
const MAX_WORKS = 5;
/** Of each other standing, of IDEAs with parts, of ended ones, and of signers. */
const MAX_OTHERS = 8;
/** Code points of the name of a signer. */
const MAX_NAME = 24;
/** Code points of the evidence of a REVIEW. */
const MAX_EVIDENCE = 160;

/**
 * Computes the state of the work of a thread from its steps. Each list of RESULTs has its oldest first, and
 * copies come last among what is to review.
 * @param first the first visible post
 * @param newest the last one
 * @param now milliseconds since 1970
 * @param viewer the signer who decides the standings, with whom it trusts; the opener without it
 * @throws WorkspaceError invalid_request (no signer of the thread)
 */
export async function readThreadState(
  read: Pick<Reader, 'posts'>,
  board: Board,
  { record: first }: RecordView<'post'>,
  { record: newest }: RecordView<'post'>,
  now: number,
  viewer?: string,
): Promise<State> {
  const { rootId } = first;
  const view = viewSeenBy(board, rootId, viewer);
  const byStanding = new Map<Standing, Result[]>(ORDER.map((standing) => [standing, []]));
  const thread = board.thread(rootId);
  for (const result of thread?.results.filter(isShown) ?? [])
    byStanding.get(judge(result, view).standing)?.push(result);
  for (const standing of ['unreviewed', 'reviewed'] as const)
    byStanding.get(standing)?.sort((a, b) => Number(isCopy(a)) - Number(isCopy(b)));
  const counted = [...byStanding].filter(([, results]) => results.length > 0);
  const listed = counted.map(([standing, results]) => {
    const max = standing === 'confirmed' ? MAX_CONFIRMED : MAX_OTHERS;
    return [standing, results.slice(0, max).map((result) => withChecks(result, view))] as const;
  });
  const underWay = thread?.works.filter((one) => isUnderWay(one, now)) ?? [];
  const seen = view ?? (thread && viewOfOpener(thread));
  const works = chooseWorks(underWay.reverse(), MAX_WORKS, seen?.trusted);
  const moreUnderWay = underWay.length - works.length;
  const ended = (thread?.ideas ?? []).filter(isEnded).slice(0, MAX_OTHERS);
  const members = thread === undefined ? [] : membersOf(thread, seen);
  const distrusted = thread === undefined ? [] : distrustedOf(thread, seen);
  const messages = await readMessages(read, [
    ...listed.flatMap(([, results]) =>
      results.flatMap(({ result, checks }) => [result.step, ...checks.slice(0, MAX_CHECKS).map(stepOf)]),
    ),
    ...works.map(({ step }) => step),
  ]);
  const toBrief = createBriefs(board, messages, MAX_EVIDENCE, view);
  const [copyOf, copies] = [board.copies.of(rootId), copiesOf(board, rootId)];
  return {
    ...(copyOf !== undefined && { copyOf }),
    rootId: first.id,
    title: toTitle(first.message),
    newest: {
      id: newest.id,
      prefix: newest.prefix as Prefix | null,
      name: newest.name ?? null,
      ...signatureOf(board, newest),
      createdAt: newest.createdAt,
    },
    counts: Object.fromEntries(counted.map(([standing, results]) => [standing, results.length])),
    results: Object.fromEntries(listed.map(([standing, results]) => [standing, results.map(toBrief)])),
    trusted: members.slice(0, MAX_OTHERS).map(inBrief),
    ...(members.length > MAX_OTHERS && { moreTrusted: members.length - MAX_OTHERS }),
    ...(distrusted.length > 0 && { distrusted: distrusted.slice(-MAX_OTHERS).map(inBrief) }),
    underWay: works.map((one) => ({
      ...toUnderWay(board, one),
      title: toTitle(messages.get(one.step.id) ?? ''),
    })),
    ...(moreUnderWay > 0 && { moreUnderWay }),
    ...(copies.length > 0 && { copies: copies.slice(0, MAX_OTHERS) }),
    ...(copies.length > MAX_OTHERS && { moreCopies: copies.length - MAX_OTHERS }),
    ...(ended.length > 0 && { ended: ended.map(({ step }) => step.id) }),
    parts: partsOf(thread?.ideas ?? [], now),
  };
}

const inBrief = ({ signer, name }: Member): Member => ({ signer, name: name && cutText(name, MAX_NAME) });

/**
 * @param viewer as in `readThreadState`
 * @returns undefined where the opener decides
 * @throws WorkspaceError invalid_request
 */
export function viewSeenBy(board: Board, rootId: string, viewer: string | undefined): View | undefined {
  if (viewer === undefined) return undefined;
  const thread = board.thread(rootId);
  const view = thread && viewOfSigner(thread, viewer);
  if (view === undefined)
    throw invalidRequestError([
      { path: 'viewer', message: 'must be a signer of this thread: copy one, or leave it out' },
    ]);
  return view;
}

const stepOf = ({ step }: Check): Check['step'] => step;

/**
 * Creates a function that summarizes a RESULT.
 * @param messages the texts of the RESULTs and of their REVIEWs, by id
 * @param maxEvidence code points of the evidence of a REVIEW
 * @param view of the thread of each RESULT; that of the opener without it
 */
export function createBriefs(
  board: Board,
  messages: ReadonlyMap<string, string>,
  maxEvidence: number,
  view?: View,
): (checked: Checked) => ResultInBrief {
  const toCheck = ({ step, as: outcome, trusted }: Check): CheckInBrief => {
    const { id, name } = step;
    const says = evidenceLine(messages.get(id) ?? '', step.prefix, maxEvidence);
    return {
      id,
      name,
      ...signatureOf(board, step),
      outcome,
      trusted,
      ...(says !== null && { says }),
    };
  };
  return ({ result, checks: found }) => {
    const { id, name } = result.step;
    const checks = found.slice(0, MAX_CHECKS).map(toCheck);
    const { others, newerEdition } = judge(result, view);
    return {
      id,
      title: toTitle(messages.get(id) ?? ''),
      name,
      ...signatureOf(board, result.step),
      ...(checks.length > 0 && { checks }),
      ...(found.length > MAX_CHECKS && { more: true as const }),
      ...(others.length > 0 && { others: [...others] }),
      ...(newerEdition !== undefined && { newerEdition }),
    };
  };
}

async function readMessages(
  read: Pick<Reader, 'posts'>,
  steps: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const posts = steps.length === 0 ? [] : await read.posts([...new Set(steps.map(({ id }) => id))]);
  return new Map(posts.map(({ record: { id, message } }) => [id, message]));
}

function partsOf(ideas: readonly Idea[], now: number): State['parts'] {
  const divided = ideas.filter(({ parts }) => parts.length > 0);
  return divided.slice(0, MAX_OTHERS).map((idea) => {
    const free = new Set(freeParts(idea, now));
    return { id: idea.step.id, parts: idea.parts.map((name) => ({ name, free: free.has(name) })) };
  });
}
