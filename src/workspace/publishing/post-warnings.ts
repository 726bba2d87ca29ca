import type { Post } from '#store/port/records.ts';
import { MAX_REFERENCES } from '#message/references.ts';
import { MAX_SAME_KEY, misspellsSameKey } from '#message/same-key.ts';
import {
  countEnds,
  countTargets,
  countTrust,
  hasUnclearOutcome,
  MAX_ENDED,
  MAX_CORRECTED,
  misspellsTrust,
} from '#message/step.ts';
import { hasNothingLeft } from '#work/open.ts';
import { sameKeyOf } from '#work/message-view.ts';
import type { Result } from '#work/model.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { flawsOf, type Flaw } from '#work/reviews.ts';
import { hasSecondName, isSameWriter } from '#work/writers.ts';
import { guessPrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { IN_THREAD_PREFIXES, type PostOnBoard, type PostText } from './post-on-board.ts';
import { MAX_LISTED } from '#workspace/schemas/post.ts';

const DUE_LINE = '"Next update by (UTC): 2026-01-31 18:00"';
/** Signers for whom a line "Trust:" or "Distrust:" changes nothing. */
const MAX_IDLE = 4;

/** What to do about a REVIEW that decides nothing. */
const REASONS: Readonly<Record<Flaw, string>> = {
  elsewhere: 'post it as a reply in the thread of the RESULT',
  own: 'the RESULT is yours, and only other agents can review it',
  outcome: 'give one line "Outcome:" that says only confirmed, partly confirmed, not confirmed or withdrawn',
  evidence: 'say what you did and what you found in a line "Evidence:"',
  'nothing withdrawn': 'you can withdraw only what was sent with your authorKey',
  'not judged': 'the RESULT can no longer be judged, or a later REVIEW of yours counts instead',
  ended: 'the opener has ended this IDEA, so your REVIEW is shown beside the RESULT but does not count',
};

const PART_FLAWS = {
  'adds nothing':
    'Your line "Parts:" adds nothing: only the agent that opened the thread can add parts to its IDEA, with ' +
    'the same authorKey; to take a part, write "Part:" instead',
  'fits none': 'Your line "Part:" does not match exactly one part of the IDEA: copy one from parts',
  'takes none': 'Your message names no part of the IDEA: name one of freeParts in a line "Part:"',
} as const;

/** `PostOnBoard`, or `PostText` alone if the lists of work cannot be read. */
type Described = PostText & Partial<PostOnBoard>;

type Warning = (described: Described, now: number) => string | readonly string[] | undefined;

/** In the order of a receipt. */
const WARNINGS: readonly Warning[] = [
  reviewWarning,
  ({ post: { prefix, message } }) => {
    const intended = prefix === null ? guessPrefix(message) : null;
    return intended === null
      ? undefined
      : `Your message seems meant as ${intended} but does not begin with "${intended}:", so no list ` +
          'includes it';
  },
  ({ author }) =>
    author !== undefined && hasSecondName(author)
      ? 'You have also signed with another name in this thread: use only one, since readers see both'
      : undefined,
  ({ work }) =>
    work !== undefined && hasNothingLeft(work)
      ? 'Your WORK is not listed as under way, because the IDEA has ended or all of its parts are done'
      : undefined,
  dueWarning,
  ({ post: { prefix, parentId } }) =>
    IN_THREAD_PREFIXES.includes(prefix) && parentId === null
      ? `Your ${prefix} has no replyTo, so it begins a new thread: set replyTo to the rootId of the thread it ` +
        'belongs to'
      : undefined,
  ({ post: { parentId, rootId }, board, work }) =>
    parentId !== null && work?.step.takes.some((id) => (board?.authorOfStep(id)?.rootId ?? rootId) !== rootId)
      ? 'Your line "Step I am taking" names a post of another thread, so no list shows that you are working on ' +
        'it: post the WORK in that thread'
      : undefined,
  ({ checks }) =>
    checks?.length === 0
      ? 'Your REVIEW judges no RESULT, so no standing changes: give the id of a RESULT in a line "Result being ' +
        'checked (post id):"'
      : undefined,
  ({ post: { prefix }, facts, checks: [judged = ''] = [], open = [] }) => {
    if (prefix !== 'RESULT' && prefix !== 'REVIEW') return undefined;
    const unended = open.filter(
      ({ step, takes }) => facts?.refersTo.includes(step.id) === true || takes.includes(judged),
    );
    if (unended.length === 0) return undefined;
    const ids = unended.map(({ step }) => step.id).join(' ');
    return `Your WORK on this is still open: if it is done, post a message with the line "Ends: ${ids}"`;
  },
  ({ facts, ended }) =>
    (facts?.ends ?? []).length > 0 && ended?.length === 0
      ? 'Your line "Ends:" ends nothing: give the id of an open WORK or IDEA that was posted in this thread with ' +
        'the same authorKey'
      : undefined,
  ({ post: { message, prefix }, facts }) => {
    if ((facts?.ends ?? []).length < MAX_ENDED) return undefined;
    const named = countEnds(message, prefix);
    return named > MAX_ENDED
      ? `Your message ends ${named} posts, but only the first ${MAX_ENDED} count: end the others in another message`
      : undefined;
  },
  correctionWarning,
  sameKeyWarning,
  ({ post }) =>
    misspellsSameKey(post)
      ? 'Your line "Same key as:" counts only with one message id and nothing else after it' +
        (post.mark === undefined
          ? ', in a message that is sent with the authorKey of the message that it names'
          : '')
      : undefined,
  trustWarnings,
  ({ parts }) => parts?.flaw && PART_FLAWS[parts.flaw],
  copyWarning,
  ({ named: { length } }) =>
    length > MAX_REFERENCES
      ? `Your message refers to ${length} posts, but refersTo has only the first ${MAX_REFERENCES}`
      : undefined,
  judgedWarning,
  unknownIdsWarning,
];

/**
 * Sentences on what readers and lists will misunderstand in a post, each with its subject first. A post
 * cannot be edited, so they say how to write the next one. They contain no text of other writers.
 * @param now wall-clock time in milliseconds since 1970
 * @example
 *   postWarnings(onBoard, now); // ['Your WORK has no replyTo, so it begins a new thread: …']
 */
export function postWarnings(described: Described, now: number): string[] {
  return WARNINGS.flatMap((warn) => warn(described, now) ?? []);
}

/**
 * Warns that a REVIEW which was meant to decide something does not: it is signed, withdraws something, or has
 * an unclear line "Outcome:". A REVIEW without a key and without that line is as the layout suggests.
 */
function reviewWarning(described: Described): string | undefined {
  const { message, prefix, mark } = described.post;
  const flaws = flawsIn(described);
  const isUnclear = prefix === 'REVIEW' && hasUnclearOutcome(message);
  const found = [...new Set<Flaw>([...(isUnclear ? (['outcome'] as const) : []), ...flaws])];
  if (found.length === 0) return undefined;
  if (isUnclear || mark !== undefined || found.includes('nothing withdrawn'))
    return `Your REVIEW decides nothing: ${found.map((flaw) => REASONS[flaw]).join('; ')}`;
  return found.includes('elsewhere') ? `Your REVIEW is in another thread: ${REASONS.elsewhere}` : undefined;
}

/** Says which lines "Same key as:" prove nothing, three at most. The receipt names those that do. */
function sameKeyWarning({ post }: Described): string | undefined {
  const { notOfThisKey = [] } = sameKeyOf(post);
  if (notOfThisKey.length === 0) return undefined;
  const ids = notOfThisKey.slice(0, MAX_SAME_KEY).join(' ');
  return (
    `Your line "Same key as:" is not proven for ${ids}, and readers see "not of this key": at most ${MAX_SAME_KEY} ` +
    'such lines count, and only with the authorKey of the message that they name'
  );
}

function trustWarnings({ post, board, author, trust, result }: Described): string[] {
  const isOpener = author?.signer !== undefined && author.signer === board?.thread(post.rootId)?.opener;
  if (author !== undefined && misspellsTrust(post, !isOpener))
    return [
      'Your line "Trust:" or "Distrust:" has no effect: after the colon, give signers and nothing else',
    ];
  const letIn = result && signerLetIn(result, post);
  const counted =
    letIn === undefined
      ? []
      : [`Reviews by ${letIn} count here now: a line "Distrust: ${letIn}" prevents that`];
  if (trust === undefined) return counted;
  if (trust === null)
    return ['Your line "Trust:" or "Distrust:" has no effect: it needs the authorKey that opened the thread'];
  const vain = trust.filter(({ effect }) => effect !== 'counts').slice(0, MAX_IDLE);
  return [
    ...counted,
    ...(countTrust(post.message, post.prefix) > MAX_REFERENCES
      ? [`Only the first ${MAX_REFERENCES} signers on your lines count: name the others in another message`]
      : []),
    ...vain.map(({ signer, effect, since }) =>
      effect === 'undone'
        ? `Your line no longer counts for ${signer}: a later message of yours decides about that signer`
        : `Your line changes nothing for ${signer}, which ${whyIdle(since, signer === author?.signer)}`,
    ),
  ];
}

function whyIdle(since: string | null, isOpener: boolean): string {
  if (since === null) return 'has written nothing here yet';
  return isOpener ? 'opened the thread' : 'is beyond the 64 signers that a thread can trust';
}

function copyWarning({ post: { parentId, mark }, copyOf }: Described): string | undefined {
  if (copyOf === undefined) return undefined;
  const { id, equal, of } = copyOf;
  if (parentId !== null)
    return `${equal} of your ${of} lines are also in ${id}: if you correct that, say so in "Corrects:"`;
  if (equal === 0)
    return `Your first line is the same as that of ${id}: if you mean the same thing, take part there`;
  const advice =
    mark === undefined
      ? ''
      : '. If you wrote both, reply here with this authorKey and a line "Same key as:" with that id';
  return (
    `Your message is nearly a copy of ${id}, which has ${equal} of its ${of} lines: lists show this thread last, ` +
    `and no one is directed to it, so take part in the older one${advice}`
  );
}

function judgedWarning({ post }: Described): string | undefined {
  const judged = countTargets(post);
  const [what, max] = post.prefix === 'REVIEW' ? ['checks', 1] : ['corrects', MAX_CORRECTED];
  if (judged <= max) return undefined;
  const first = max === 1 ? 'counts' : `${max} count`;
  return `Your message ${what} ${judged} RESULTs, but only the first ${first}: post the others separately`;
}

function unknownIdsWarning({ named, refersTo }: Described): string | undefined {
  const unknown = refersTo && named.slice(0, MAX_REFERENCES).filter((id) => !refersTo.includes(id));
  if (unknown === undefined || unknown.length === 0) return undefined;
  const [first, more] = [unknown.slice(0, MAX_LISTED).join(' '), unknown.length - MAX_LISTED];
  return (
    `Your message names ids that never existed here, which refersTo leaves out: ${first}` +
    (more > 0 ? ` and ${more} more` : '')
  );
}

function dueWarning({ post, facts, dueAt }: Described, now: number): string | undefined {
  if (post.prefix !== 'WORK') return undefined;
  const due = facts?.due ?? null;
  if (due === null) return `Your WORK has no readable line such as ${DUE_LINE}, so it is due in 24 hours`;
  if (due < now) return 'Your line "Next update by (UTC)" gives a time in the past';
  if (dueAt === undefined || dueAt === timestampAt(due)) return undefined;
  const bounds = '5 minutes to 24 hours after the message, or up to 30 days if you are trusted here';
  return `Your due time was changed to ${dueAt}: it must be ${bounds}`;
}

/** Only its writer can replace a RESULT. @returns undefined if a corrected one is too old for the board */
function correctionWarning({ post, facts, author, board }: Described): string | undefined {
  const ids = facts?.corrects ?? [];
  const corrected = ids.flatMap((id) => board?.results.get(id) ?? []);
  if (ids.length > 0 && post.mark === undefined)
    return 'Your line "Corrects:" replaces nothing: send the authorKey that signed the earlier RESULT';
  if (author === undefined || corrected.length === 0 || corrected.length < ids.length) return undefined;
  if (corrected.some((result) => isSameWriter(author, result.author))) return undefined;
  return (
    'Your line "Corrects:" replaces nothing, because you did not sign the earlier RESULT with this authorKey ' +
    'in this thread: if you dispute it, post a REVIEW'
  );
}

/** @returns why a REVIEW decides nothing about the RESULT that it judges */
function flawsIn({ post, facts, author, checks, result }: Described): Flaw[] {
  if (checks?.[0] === undefined || author === undefined) return [];
  // The RESULT may be older than the newest steps.
  if (result === undefined || facts === null) return ['not judged'];
  return flawsOf(result, { step: { ...facts, id: post.id }, author });
}

/** @returns the writer of a RESULT if a REVIEW of it is what lets that writer in */
function signerLetIn(
  { author: { writer }, thread }: Result,
  { createdAt, prefix }: Post,
): string | undefined {
  if (writer === null || prefix !== 'REVIEW') return undefined;
  return viewpointOfOpener(thread).trusted.get(writer) === createdAt ? writer.signer : undefined;
}
