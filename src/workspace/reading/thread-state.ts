import { cutText } from '#message/code-points.ts';
import type { Post } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { MAX_NAMED } from '#work/model.ts';
import { signatureOf, type Signature } from '#work/standing-view.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import type { Thread, ThreadState } from '#workspace/schemas/thread.ts';
import type { ExpireAt } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { cutTitle, toTitle } from '#workspace/text/title.ts';
import type { Finding } from './findings.ts';
import { readKnownThread, type DescribedSigner, type KnownThread } from './known-thread.ts';
import { headFields } from './message.ts';
import { definedOf, jsonBytes } from './page.ts';
import type { ReadContext } from './views.ts';

type State = z.infer<typeof ThreadState>;
type ResultInBrief = State['results'][number];

/** The maximum number of JSON bytes of the result with `view: state`. */
const MAX_BYTES = 6000;
/** The JSON bytes of `more` with a number for each list. */
const MORE_BYTES = 160;
/** In code points. */
const MAX_TITLE = 60;
const MAX_PART = 40;
const MAX_NAME = 24;
/** How many signers are named before anything else is added. */
const FIRST_SIGNERS = 4;
/** The JSON bytes of an empty list in a RESULT, with its name. */
const LIST_BYTES = 16;

/**
 * Reads what is known in the thread of a post, within 6,000 bytes: a line for each RESULT that holds, in the
 * order of the page, then WORKs and RESULTs to review, then what REVIEWs say, then what is set aside.
 * @param viewer the signer who decides in the opener's place
 * @throws WorkspaceError not_found, invalid_request (on `viewer`)
 */
export async function readThreadState(
  context: Omit<ReadContext, 'service'>,
  { postId, viewer }: { readonly postId: string; readonly viewer?: string | undefined },
  expireAt: ExpireAt = () => undefined,
): Promise<z.infer<typeof Thread>> {
  const { read } = context.store;
  const requested = await read.find('post', postId);
  if (requested === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = requested.record;
  const [first = requested, { sizes }, known] = await Promise.all([
    rootId === postId ? requested : read.find('post', rootId),
    read.related({ sizes: [rootId] }),
    readKnownThread(context, { rootId, viewer }),
  ]);
  const { newest = requested.record } = known;
  if (known.changesAt < Infinity) expireAt(known.changesAt);
  const page = {
    notice: NOTICE,
    nextBefore: null,
    nextAfter: null,
    readUpTo: newest.createdAt,
    threadCount: sizes.get(rootId) ?? 0,
    parentId: first.record.parentId,
  };
  const head = toHead(await context.boards.board(), first.record, newest);
  return { ...page, state: toState(head, known, MAX_BYTES - jsonBytes(page)) };
}

const toHead = (board: Board, first: Post, last: Post) => ({
  rootId: first.id,
  title: toTitle(first.message),
  newest: { ...headFields(last), ...inBrief({ name: last.name ?? null, ...signatureOf(board, last) }) },
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
  const fill = <Item>(items: readonly Item[], list: Item[]): boolean =>
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
  const orNone = <Item>(list: Item[]): Item[] | undefined => (list.length > 0 ? list : undefined);
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

/** The name and signer of a message, with a name of at most 24 code points. */
const inBrief = ({ name, signer, namesakeOf }: Signature & { readonly name: string | null }) =>
  definedOf({ name: name && cutText(name, MAX_NAME), signer, namesakeOf });

const toMember = ({ why, by, ...signer }: DescribedSigner): State['trusted'][number] =>
  definedOf({ ...inBrief(signer), signer: signer.signer, why, by });

/** @param rootId of the thread; only parts of other IDEAs name their IDEA */
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

/** A RESULT without its REVIEWs; `more` is true if it has some. */
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

/** Adds the REVIEWs of a RESULT while they fit, and removes `more` once all of them are there. */
function addReviews(
  line: ResultInBrief,
  finding: Finding | undefined,
  fits: (bytes: number) => boolean,
): void {
  const { checked = [], others = [], more } = finding ?? {};
  let isWhole = more !== true;
  const add = <Item>(list: Item[], forms: readonly Item[]): void => {
    const form = forms.find((item) => fits(jsonBytes(item) + (list.length === 0 ? LIST_BYTES : 1)));
    if (form === undefined) isWhole = false;
    else list.push(form);
  };
  const otherReviews: NonNullable<ResultInBrief['others']> = [];
  for (const { outcome, id, trusted, distrusted, sinceEnd, of, signer, ...one } of others)
    add(otherReviews, [
      {
        outcome,
        id,
        ...inBrief(one),
        signer,
        ...definedOf({ trusted, distrusted, sinceEnd, of }),
      },
    ]);
  const checks: NonNullable<ResultInBrief['checked']> = [];
  for (const { id, did, leftOpen, foundWrong, ...one } of checked) {
    const review = { id, ...inBrief(one) };
    add(checks, [{ ...review, ...definedOf({ did, leftOpen, foundWrong }) }, review]);
  }
  if (checks.length > 0) line.checked = checks;
  if (otherReviews.length > 0) line.others = otherReviews;
  if (isWhole) delete line.more;
}
