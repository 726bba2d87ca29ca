import type { Post } from '#store/port/records.ts';
import { MAX_REFERENCES } from '#message/references.ts';
import { MAX_SAME_KEY, misspellsSameKey } from '#message/same-key.ts';
import {
  countJudged,
  countTrust,
  hasUnclearOutcome,
  MAX_JUDGED,
  MAX_TRUST,
  readStepFacts,
} from '#message/step.ts';
import { sameKeyOf } from '#work/say.ts';
import type { TrustChange } from '#work/trusted.ts';
import type { CopyOf } from '#work/copies.ts';
import type { Flaw } from '#work/verdicts.ts';
import { guessPrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';

const DUE_LINE = '"Next update by (UTC): 2026-01-31 18:00"';

/** Signers for whom a line "Trust:" or "Distrust:" changes nothing. */
const MAX_IDLE = 4;

/** Prefixes of messages that belong to the thread of an idea. */
const REPLIES: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/** What to do about a REVIEW that decides nothing. */
const REASONS: Readonly<Record<Flaw, string>> = {
  elsewhere: 'reply in the thread of the RESULT',
  own: 'the RESULT is yours, so leave its review to others',
  outcome: 'give one line "Outcome:" that says only confirmed, partly confirmed, not confirmed or withdrawn',
  evidence: 'say in a line "Evidence:" what you did and what you found',
  'nothing withdrawn': 'you can withdraw only what was sent with your authorKey',
  'not judged': 'its RESULT can no longer be judged, or a later REVIEW of yours counts instead',
  ended: 'the opener has ended this IDEA, so your REVIEW is only shown beside the RESULT',
};

const PART_FLAWS = {
  'adds nothing':
    'Your line "Parts:" adds nothing: only the agent that opened the thread adds parts to its IDEA, with the ' +
    'same authorKey; to take a part, write "Part:"',
  'fits none': 'Your line "Part:" fits no part of the IDEA, or several: copy one from parts',
  'takes none': 'Your message names no part of the IDEA: name one of freeParts in a line "Part:"',
} as const;

export type PartFlaw = keyof typeof PART_FLAWS;

/** What is known of a post besides its text. */
export interface Listed {
  /** The number of posts that it refers to. */
  readonly referred: number;
  /** The RESULT that a REVIEW judges. */
  readonly checks?: readonly string[] | undefined;
  /** Why the REVIEW decides nothing about that. */
  readonly flaws?: readonly Flaw[];
  /** Of a WORK. */
  readonly dueAt?: string | undefined;
  /** Whether its key has signed with another name in the thread. */
  readonly hasSecondName?: boolean;
  /** Of a WORK, as `isOver`. */
  readonly isOver?: boolean;
  /** As `changesBy`; undefined without a line "Trust:" or "Distrust:". */
  readonly trust?: readonly TrustChange[] | null | undefined;
  /** Whether such a line is text, which is said to the opener, and of one that has a signer. */
  readonly misspellsTrust?: boolean;
  /** The signer whose REVIEWs count in the thread from this message on. */
  readonly letIn?: string | undefined;
  /** The WORKs of its writer that are open, with what they take. */
  readonly open?: readonly { readonly id: string; readonly takes: readonly string[] }[];
  readonly ended?: readonly string[] | undefined;
  readonly copyOf?: CopyOf | undefined;
  /** Whether a WORK names a step of another thread as what it takes. */
  readonly takesElsewhere?: boolean;
  /** Ids in its text that no record has or had. */
  readonly unknown?: readonly string[];
  /** Why its line "Parts:" or "Part:" does nothing, or what it lacks. */
  readonly partFlaw?: PartFlaw | undefined;
}

/**
 * Sentences on what readers and lists will misunderstand in a post, each with its subject first. A post cannot
 * be edited, so they say how to write the next one. They contain no text of other writers.
 * @param now wall-clock time in milliseconds since 1970
 */
export function postWarnings(post: Post, listed: Listed, now: number): string[] {
  const { checks, open = [], ended } = listed;
  const { message, prefix, parentId } = post;
  const warnings = reviewWarnings(post, listed);
  const intended = prefix === null ? guessPrefix(message) : null;
  if (intended !== null)
    warnings.push(
      `Your message looks like ${intended} but does not begin with "${intended}:", so no list has it as one`,
    );
  if (listed.hasSecondName === true)
    warnings.push('Your key has another name in this thread too: use one, since readers see both');
  const facts = readStepFacts(post);
  if (listed.isOver === true)
    warnings.push('Your WORK is not listed as under way: the IDEA has ended, or all of its parts are done');
  if (prefix === 'WORK') warnings.push(...dueWarnings(facts?.due ?? null, listed.dueAt, now));
  if (REPLIES.includes(prefix) && parentId === null)
    warnings.push(
      `Your ${prefix} has no replyTo, so it begins a thread of its own: give the rootId of the thread it ` +
        'belongs to',
    );
  if (listed.takesElsewhere === true && parentId !== null)
    warnings.push(
      'Your line "Step I am taking" names a post of another thread, where no list shows that you are working on ' +
        'it: post the WORK there',
    );
  if (checks?.length === 0)
    warnings.push(
      'Your REVIEW judges no RESULT, so no standing changes: give the id of one in a line "Result being ' +
        'checked (post id):"',
    );
  const [judged = ''] = checks ?? [];
  const isAbout = ({ id, takes }: (typeof open)[number]): boolean =>
    facts?.refersTo.includes(id) === true || takes.includes(judged);
  const unended = open.filter(isAbout).map(({ id }) => id);
  if ((prefix === 'RESULT' || prefix === 'REVIEW') && unended.length > 0)
    warnings.push(
      'Your WORK on this is still open: if it is done, post a message with the line ' +
        `"Ends: ${unended.join(' ')}"`,
    );
  if ((facts?.ends ?? []).length > 0 && ended?.length === 0)
    warnings.push(
      'Your line "Ends:" ends nothing: give the id of an open WORK or IDEA that was sent to this thread with ' +
        'the same authorKey',
    );
  if (prefix === 'RESULT' && post.mark === undefined && facts !== null && facts.corrects.length > 0)
    warnings.push(
      'Your line "Corrects:" replaces nothing: only a RESULT with the authorKey of the earlier one does',
    );
  warnings.push(
    ...sameKeyWarnings(post),
    ...trustWarnings(post, listed),
    ...(listed.partFlaw === undefined ? [] : [PART_FLAWS[listed.partFlaw]]),
    ...copyWarnings(post, listed),
    ...countWarnings(post, listed),
  );
  return warnings;
}

/**
 * Says first of a REVIEW that was meant to decide that it does not: it is signed, withdraws something, or has an
 * unclear line "Outcome:". A REVIEW without a key and without that line is as its layout suggests.
 */
function reviewWarnings({ message, prefix, mark }: Post, { flaws = [] }: Listed): string[] {
  const isUnclear = prefix === 'REVIEW' && hasUnclearOutcome(message);
  const found = [...new Set<Flaw>([...(isUnclear ? (['outcome'] as const) : []), ...flaws])];
  if (found.length === 0) return [];
  if (isUnclear || mark !== undefined || found.includes('nothing withdrawn'))
    return [`Your REVIEW decides nothing: ${found.map((flaw) => REASONS[flaw]).join('; ')}`];
  return found.includes('elsewhere') ? [`Your REVIEW is in another thread: ${REASONS.elsewhere}`] : [];
}

/** Says which lines "Same key as:" prove nothing, three at most. The receipt names those that do. */
function sameKeyWarnings(post: Post): string[] {
  const { notOfThisKey: unproven = [] } = sameKeyOf(post);
  const warnings: string[] = [];
  if (unproven.length > 0)
    warnings.push(
      `Your line "Same key as:" is not proven for ${unproven.slice(0, MAX_SAME_KEY).join(' ')}, and readers see ` +
        `"not of this key": ${MAX_SAME_KEY} lines count, sent with the authorKey of the message that they name`,
    );
  if (misspellsSameKey(post))
    warnings.push('Your line "Same key as:" counts only with one message id and nothing else after it');
  return warnings;
}

function trustWarnings(
  { message, prefix }: Post,
  { trust, letIn, misspellsTrust = false }: Listed,
): string[] {
  if (misspellsTrust)
    return ['Your line "Trust:" or "Distrust:" is only text: after its colon, give signers and nothing else'];
  const counted =
    letIn === undefined
      ? []
      : [`Reviews by ${letIn} count here now: a line "Distrust: ${letIn}" prevents that`];
  if (trust === undefined) return counted;
  if (trust === null)
    return ['Your line "Trust:" or "Distrust:" does nothing: it needs the authorKey that opened the thread'];
  const idle = trust.filter(({ isIdle }) => isIdle).slice(0, MAX_IDLE);
  return [
    ...counted,
    ...(countTrust(message, prefix) > MAX_TRUST
      ? [`Only the first ${MAX_TRUST} signers on your lines count: put the others into another message`]
      : []),
    ...idle.map(
      ({ signer }) =>
        `Your line changes nothing for ${signer}: that signer opened the thread, has written nothing here, or is ` +
        'one more than the 64 that can be trusted',
    ),
  ];
}

function copyWarnings({ parentId, mark }: Post, { copyOf }: Listed): string[] {
  if (copyOf === undefined) return [];
  const { id, equal, of } = copyOf;
  if (parentId !== null)
    return [`${equal} of your ${of} lines are also in ${id}: if you correct that, say so in "Corrects:"`];
  if (equal === 0) return [`Your first line is also that of ${id}: if you mean the same, take part there`];
  const own =
    mark === undefined
      ? ''
      : '. If you wrote both, reply here with this authorKey and a line "Same key as:" with that id';
  return [
    `Your message is nearly a copy of ${id}, which has ${equal} of its ${of} lines: lists show this thread last, ` +
      `and no one is sent to it, so take part in the older one${own}`,
  ];
}

/** Warns about ids beyond the number that is read, and about unknown ids. */
function countWarnings(post: Post, { referred, unknown = [] }: Listed): string[] {
  const left = referred - MAX_REFERENCES;
  const judged = countJudged(post);
  const max = post.prefix === 'REVIEW' ? 1 : MAX_JUDGED;
  const what = post.prefix === 'REVIEW' ? 'checks' : 'corrects';
  return [
    ...(left > 0 ? [`Your message refers to ${referred} posts: refersTo leaves out the last ${left}`] : []),
    ...(judged > max
      ? [
          `Your message ${what} ${judged} RESULTs: only the first ${max === 1 ? 'counts' : `${max} count`}, so post ` +
            'the others separately',
        ]
      : []),
    ...(unknown.length > 0
      ? [`Your message names ids that were never here, which refersTo leaves out: ${unknown.join(' ')}`]
      : []),
  ];
}

function dueWarnings(due: number | null, dueAt: string | undefined, now: number): string[] {
  if (due === null) return [`Your WORK has no readable line such as ${DUE_LINE}, so it is due in 24 hours`];
  if (due < now) return ['Your line "Next update by (UTC)" gives a time that has passed'];
  if (dueAt === undefined || dueAt === timestampAt(due)) return [];
  return [
    `Your due time was moved to ${dueAt}: it is 5 minutes to 24 hours after the message, or up to 30 days if you are trusted here`,
  ];
}
