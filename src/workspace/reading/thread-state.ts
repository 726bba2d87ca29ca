import { readCheckLines } from '#message/check-lines.ts';
import { cutText } from '#message/code-points.ts';
import { toSigner } from '#message/signer.ts';
import type { Step } from '#message/step.ts';
import type { RecordView } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { type Member, membersOf, distrustedOf, viewOfSigner, viewOfOpener } from '#work/trusted.ts';
import { copiesOf, readStanding, signatureOf } from '#work/say.ts';
import type { Idea, Result, Standing, View } from '#work/thread.ts';
import { isCopy, isEnded, isShown, judge, opinionsOn } from '#work/verdicts.ts';
import { isUnderWay, partsOf } from '#work/parts.ts';
import { chooseWorks } from '#work/works.ts';
import type { ThreadState } from '#workspace/schemas/thread.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { cutTitle, toTitle } from '#workspace/text/title.ts';
import { toUnderWay } from './under-way.ts';

type State = z.infer<typeof ThreadState>;
export type ResultInBrief = NonNullable<State['results'][Standing]>[number];

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
/** Code points of the name of a part. */
const MAX_PART_NAME = 40;
/** Code points of the evidence of a REVIEW. */
const MAX_EVIDENCE = 160;

/**
 * Computes the state of the work of a thread from its steps. Each list of RESULTs has its newest first, and
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
  for (const result of thread?.results.filter(isShown).reverse() ?? [])
    byStanding.get(judge(result, view).standing)?.push(result);
  for (const standing of ['unreviewed', 'reviewed'] as const)
    byStanding.get(standing)?.sort((a, b) => Number(isCopy(a)) - Number(isCopy(b)));
  const counted = [...byStanding].filter(([, results]) => results.length > 0);
  const listed = counted.map(([standing, results]) => {
    const max = standing === 'confirmed' ? MAX_CONFIRMED : MAX_OTHERS;
    return [standing, results.slice(0, max)] as const;
  });
  const underWay = thread?.works.filter((one) => isUnderWay(one, now)) ?? [];
  const seen = view ?? (thread && viewOfOpener(thread));
  const works = chooseWorks(underWay.reverse(), MAX_WORKS, seen?.trusted);
  const ended = (thread?.ideas ?? []).filter(isEnded).slice(0, MAX_OTHERS);
  const members = seen === undefined ? [] : membersOf(seen);
  const distrusted = seen === undefined ? [] : distrustedOf(seen);
  const messages = await readMessages(read, [
    ...listed.flatMap(([, results]) => results.flatMap((result) => shownWith(result, view))),
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
    counts: {
      ...Object.fromEntries(counted.map(([standing, results]) => [standing, results.length])),
      ...(underWay.length > 0 && { underWay: underWay.length }),
    },
    results: Object.fromEntries(listed.map(([standing, results]) => [standing, results.map(toBrief)])),
    ...(viewer !== undefined && { viewer: toSigner(viewer) }),
    trusted: members.slice(0, MAX_OTHERS).map(inBrief),
    ...(members.length > MAX_OTHERS && { moreTrusted: members.length - MAX_OTHERS }),
    ...(distrusted.length > 0 && { distrusted: distrusted.slice(-MAX_OTHERS).map(inBrief) }),
    underWay: works.map((one) => ({
      ...toUnderWay(board, one),
      title: toTitle(messages.get(one.step.id) ?? ''),
    })),
    ...(copies.length > 0 && { copies: copies.slice(0, MAX_OTHERS) }),
    ...(copies.length > MAX_OTHERS && { moreCopies: copies.length - MAX_OTHERS }),
    ...(ended.length > 0 && { ended: ended.map(({ step }) => step.id) }),
    parts: describeParts(thread?.ideas ?? [], now),
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

/** @returns the messages whose texts `createBriefs` needs for a RESULT */
export const shownWith = (result: Result, view?: View): Step[] => [
  result.step,
  ...opinionsOn(result, view).checked.map(({ step }) => step),
];

/**
 * Creates a function that summarizes a RESULT.
 * @param messages the texts of what `shownWith` returns, by id
 * @param maxEvidence code points of the evidence of a REVIEW
 * @param view of the thread of each RESULT; that of the opener without it
 */
export function createBriefs(
  board: Board,
  messages: ReadonlyMap<string, string>,
  maxEvidence: number,
  view?: View,
): (result: Result) => ResultInBrief {
  return ({ step }) => {
    const { id, name } = step;
    const { standing: _, checked, ...said } = readStanding(board, id, view);
    return {
      id,
      title: toTitle(messages.get(id) ?? ''),
      name,
      ...signatureOf(board, step),
      ...said,
      ...(checked !== undefined && {
        checked: checked.map((review) => {
          const { did } = readCheckLines(messages.get(review.id) ?? '', 'REVIEW', maxEvidence);
          return did === undefined ? review : { ...review, did };
        }),
      }),
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

function describeParts(ideas: readonly Idea[], now: number): State['parts'] {
  const divided = ideas.filter(({ parts }) => parts.length > 0);
  return divided.slice(0, MAX_OTHERS).map((idea) => ({
    id: idea.step.id,
    parts: partsOf(idea, now).map(({ name, state, refuted, announced }) => ({
      name: cutTitle(name, MAX_PART_NAME),
      state,
      ...(refuted.length > 0 && { refuted: refuted.map(({ step }) => step.id) }),
      ...(announced.length > 0 && { announced: announced.map(({ step }) => step.id) }),
    })),
  }));
}
