import { cutText } from '#message/code-points.ts';
import type { Post } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { MAX_NAMED } from '#work/sorted-lists.ts';
import { signatureOf, type Signature } from '#work/standing-view.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import type { Thread, ThreadState } from '#workspace/schemas/thread.ts';
import type { ExpireAt } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { cutTitle, toTitle } from '#workspace/text/title.ts';
import type { Finding } from './findings.ts';
import { readKnownThread, type DescribedSigner, type KnownThread } from './known-thread.ts';
import { headOf } from './message.ts';
import { definedOf, jsonBytes } from './page.ts';
import type { ReadContext } from './views.ts';

type State = z.infer<typeof ThreadState>;
type ResultInBrief = State['results'][number];

/** JSON bytes of the result with `view: state`. */
const MAX_BYTES = 6000;
/** JSON bytes of `more` with a number for each list. */
const MORE_BYTES = 160;
/** In code points. */
const MAX_TITLE = 60;
const MAX_PART = 40;
const MAX_NAME = 24;
/** Signers that are named whatever else there is. */
const FIRST_SIGNERS = 4;
/** JSON bytes of a list in a RESULT, without what it has. */
const LIST_BYTES = 16;

/**
 * Reads what is known in the thread of a post, within 6,000 bytes: a line for each RESULT that holds, in the order
 * of the page, then WORKs and RESULTs to review, then what REVIEWs say, then what is set aside.
 * @param viewer as in `readKnownThread`
 * @throws WorkspaceError not_found, invalid_request (on `viewer`)
 */
export async function readThreadState(
  context: Omit<ReadContext, 'service'>,
  { postId, viewer }: { readonly postId: string; readonly viewer?: string | undefined },
  expireAt: ExpireAt = () => undefined,
): Promise<z.infer<typeof Thread>> {
  const { read } = context.store;
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const [first = asked, { sizes }, known] = await Promise.all([
    rootId === postId ? asked : read.find('post', rootId),
    read.related({ sizes: [rootId] }),
    readKnownThread(context, { rootId, viewer }),
  ]);
  const { newest = asked.record } = known;
  if (known.changesAt < Infinity) expireAt(known.changesAt);
  const page = {
    notice: NOTICE,
    nextBefore: null,
    nextAfter: null,
    readUpTo: newest.createdAt,
    threadCount: sizes.get(rootId) ?? 0,
    parentId: first.record.parentId,
  };
  const head = toHead(await context.work.board(), first.record, newest);
  return { ...page, state: toState(head, known, MAX_BYTES - jsonBytes(page)) };
}

const toHead = (board: Board, first: Post, last: Post) => ({
  rootId: first.id,
  title: toTitle(first.message),
  newest: { ...headOf(last), ...inBrief({ name: last.name ?? null, ...signatureOf(board, last) }) },
});

function toState(head: ReturnType<typeof toHead>, known: KnownThread, maxBytes: number): State {
  const { viewer, counts, decidedBy, trusted, distrusted, copyOf, copies, ended } = known;
  const lists = {
    trusted: trusted.slice(0, FIRST_SIGNERS).map(toMember),
    distrusted: distrusted.items.slice(0, FIRST_SIGNERS).map(toMember),
    parts: [] as State['parts'],
    results: [] as ResultInBrief[],
    underWay: [] as State['underWay'],
    toReview: [] as ResultInBrief[],
    setAside: [] as NonNullable<State['setAside']>,
    copies: [...copies.items],
    ended: ended.slice(0, MAX_NAMED),
  };
  const beginning = definedOf({ copyOf, ...head, viewer, counts, decidedBy });
  let left = maxBytes - jsonBytes({ state: { ...beginning, ...lists } }) - MORE_BYTES;
  const fits = (bytes: number): boolean => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  /** Ends before the first item that does not fit. */
  const fill = <One>(items: readonly One[], list: One[]): boolean =>
    items.every((item) => fits(jsonBytes(item) + 1) && list.push(item));
  const parts = known.ideas.flatMap((idea) => toParts(idea, head.rootId));
  const lines = known.results.items.map(toLine);
  let [isPart, isLine] = [true, true];
  for (let row = 0; row < Math.max(parts.length, lines.length); row++) {
    isPart &&= fill(parts.slice(row, row + 1), lists.parts);
    isLine &&= fill(lines.slice(row, row + 1), lists.results);
  }
  fill(
    known.underWay.items.map(({ takes: _, refersTo: _ids, shortSigner: _signs, ...work }) => ({
      ...work,
      ...inBrief(work),
      title: cutTitle(work.title, MAX_TITLE),
      ...(work.parts && { parts: work.parts.map((name) => cutTitle(name, MAX_PART)) }),
    })),
    lists.underWay,
  );
  fill(known.toReview.items.map(toLine), lists.toReview);
  for (const line of [...lists.results, ...lists.toReview])
    addReviews(line, known.findings.get(line.id), fits);
  fill(trusted.slice(FIRST_SIGNERS, MAX_NAMED).map(toMember), lists.trusted);
  fill(distrusted.items.slice(FIRST_SIGNERS).map(toMember), lists.distrusted);
  fill(
    known.setAside.items.map(({ id, why }) => ({ id, why })),
    lists.setAside,
  );
  const all: Record<keyof typeof lists, number> = {
    trusted: trusted.length,
    distrusted: distrusted.count,
    parts: parts.length,
    results: known.results.count,
    underWay: known.underWay.count,
    toReview: known.toReview.count,
    setAside: known.setAside.count,
    copies: copies.count,
    ended: ended.length,
  };
  const more = Object.entries(all).flatMap(([list, count]) => {
    const leftOut = count - lists[list as keyof typeof lists].length;
    return leftOut === 0 ? [] : [[list, leftOut] as const];
  });
  const orNone = <One>(list: One[]): One[] | undefined => (list.length > 0 ? list : undefined);
  return definedOf({
    ...beginning,
    ...lists,
    distrusted: orNone(lists.distrusted),
    setAside: orNone(lists.setAside),
    copies: orNone(lists.copies),
    ended: orNone(lists.ended),
    more: more.length > 0 ? Object.fromEntries(more) : undefined,
  });
}

/** The fields of a name as the tools return them, with a name of at most 24 code points. */
const inBrief = ({ name, signer, namesakeOf }: Signature & { readonly name: string | null }) =>
  definedOf({ name: name && cutText(name, MAX_NAME), signer, namesakeOf });

const toMember = ({ why, by, ...signer }: DescribedSigner): State['trusted'][number] =>
  definedOf({ ...inBrief(signer), signer: signer.signer, why, by });

/** @param rootId of the thread, whose IDEA is not named */
function toParts({ idea, parts }: KnownThread['ideas'][number], rootId: string): State['parts'] {
  const idsOf = (list: (typeof parts)[number]['refuted']): string[] => list.map(({ step }) => step.id);
  return parts.map(({ name, state, result, work, refuted, announced }) => ({
    ...(idea.step.id !== rootId && { idea: idea.step.id }),
    name: cutTitle(name, MAX_PART),
    state,
    ...(result && { result: result.step.id }),
    ...(work && { work: work.step.id }),
    ...(refuted.length > 0 && { refuted: idsOf(refuted) }),
    ...(announced.length > 0 && { announced: idsOf(announced) }),
  }));
}

/** A RESULT without its REVIEWs; `more` says that it has any. */
function toLine(finding: Finding): ResultInBrief {
  const { id, title, standing, since, replacedBy, withdrawn, newerEdition, copyOf, checked, others } =
    finding;
  return {
    id,
    title: cutTitle(title, MAX_TITLE),
    ...inBrief(finding),
    standing,
    since,
    ...definedOf({ replacedBy, withdrawn, newerEdition, copyOf }),
    ...((finding.more === true || checked.length + others.length > 0) && { more: true }),
  };
}

/** Adds what REVIEWs say of a RESULT while it fits; `more` goes once all of them are there. */
function addReviews(
  line: ResultInBrief,
  finding: Finding | undefined,
  fits: (bytes: number) => boolean,
): void {
  const { checked = [], others = [], more } = finding ?? {};
  let isWhole = more !== true;
  const add = <One>(list: One[], forms: readonly One[]): void => {
    const form = forms.find((one) => fits(jsonBytes(one) + (list.length === 0 ? LIST_BYTES : 1)));
    if (form === undefined) isWhole = false;
    else list.push(form);
  };
  const shownOthers: NonNullable<ResultInBrief['others']> = [];
  for (const { outcome, id, trusted, distrusted, sinceEnd, of, signer, ...one } of others)
    add(shownOthers, [
      {
        outcome,
        id,
        ...inBrief(one),
        signer,
        ...definedOf({ trusted, distrusted, sinceEnd, of }),
      },
    ]);
  const shownChecks: NonNullable<ResultInBrief['checked']> = [];
  for (const { id, did, leftOpen, foundWrong, ...one } of checked) {
    const review = { id, ...inBrief(one) };
    add(shownChecks, [{ ...review, ...definedOf({ did, leftOpen, foundWrong }) }, review]);
  }
  if (shownChecks.length > 0) line.checked = shownChecks;
  if (shownOthers.length > 0) line.others = shownOthers;
  if (isWhole) delete line.more;
}
