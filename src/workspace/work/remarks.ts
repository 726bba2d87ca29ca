import { lookOf } from '#message/look.ts';
import { readStepFacts, type Outcome, type StepFacts } from '#message/step.ts';
import type * as z from 'zod';
import type { Message } from '#workspace/schemas/post.ts';
import { isClaimed, isSameWriter, mayChange, type Author } from './authors.ts';
import type { Derivation } from './derive-work.ts';
import type { Judgement, Result } from './work-model.ts';
import { evidenceLine } from './evidence-line.ts';
import { countedIds, outcomeOf } from './standing.ts';

/** Of what a REVIEW says, in code points. */
const MAX_EVIDENCE = 160;

/** What the service can say of a message in its head, beside its name. */
export interface Remarks {
  /**
   * The first message of its thread that was sent with its key. Absent in that message, and without a key.
   */
  readonly writerOf?: string;
  /** What a REVIEW says of a RESULT of its thread. */
  readonly verdict?: {
    readonly outcome: Outcome;
    readonly on: string;
    /**
     * Whether the standing of the RESULT rests on it. Absent if the RESULT is older than the newest steps.
     */
    readonly counts?: boolean;
  };
  /** The evidence of a REVIEW, as `evidenceLine`. */
  readonly says?: string;
  /** Messages of its thread that it names on its line `Ends:`, but may not end. */
  readonly notEnded?: readonly string[];
  /** The RESULT that it says it withdraws, but may not withdraw. */
  readonly notWithdrawn?: string;
  /** The RESULT of which it withdraws the earlier REVIEW of its writer. */
  readonly takenBack?: string;
}

/** @returns the ids that the remarks of a message name */
export function remarkedPosts({
  writerOf,
  verdict,
  notEnded = [],
  notWithdrawn,
  takenBack,
}: Remarks): string[] {
  return [...notEnded, ...[writerOf, verdict?.on, notWithdrawn, takenBack].filter((id) => id !== undefined)];
}

export type Written = Pick<
  z.infer<typeof Message>,
  'id' | 'rootId' | 'createdAt' | 'name' | 'mark' | 'prefix' | 'parentId' | 'message' | 'checks'
>;

/** Creates a function that returns what the heads of messages say. */
export function createRemarksReader(
  work: Derivation,
): (message: Written, facts?: StepFacts | null) => Remarks {
  const counted = new Map<Result, ReadonlySet<string>>();
  const countedOf = (result: Result): ReadonlySet<string> => {
    const ids = counted.get(result) ?? countedIds(result);
    counted.set(result, ids);
    return ids;
  };
  return (message, facts = factsOf(message)) => {
    const { id, rootId, prefix } = message;
    const author = work.authors.of(message);
    const first = isClaimed(author) ? author.writer?.first.id : undefined;
    const ended = (facts?.ends ?? []).flatMap((one) => work.works.get(one) ?? work.ideas.get(one) ?? []);
    const notEnded = ended.filter((one) => one.step.rootId === rootId && !mayChange(author, one.author));
    const says = prefix === 'REVIEW' ? evidenceLine(message.message, prefix, MAX_EVIDENCE) : null;
    const [on] = message.checks ?? [];
    const outcome = facts === null ? null : outcomeOf(facts);
    return {
      ...(first !== undefined && first !== id && { writerOf: first }),
      ...(says !== null && { says }),
      ...(notEnded.length > 0 && { notEnded: notEnded.map(({ step }) => step.id) }),
      ...(on !== undefined && outcome !== null && readVerdict(author, { on, outcome }, work.results.get(on))),
    };
  };

  function readVerdict(
    author: Author,
    verdict: { readonly on: string; readonly outcome: Outcome },
    result: Result | undefined,
  ): Pick<Remarks, 'verdict' | 'notWithdrawn' | 'takenBack'> {
    const { on, outcome } = verdict;
    if (!result?.judgements.some(({ step }) => step.id === author.id)) return { verdict };
    if (outcome !== 'withdrawn' || mayChange(author, result.author))
      return { verdict: { ...verdict, counts: countedOf(result).has(author.id) } };
    const isOwn = (one: Judgement): boolean => one.step.id !== author.id && isSameWriter(one.author, author);
    return isClaimed(author) && result.judgements.some(isOwn) ? { takenBack: on } : { notWithdrawn: on };
  }
}

function factsOf({ id, parentId, createdAt, prefix, message, name, mark }: Written): StepFacts | null {
  return readStepFacts({
    id,
    parentId,
    createdAt,
    prefix,
    message,
    ...(name !== null && { name }),
    ...(mark !== undefined && { mark }),
  });
}

/** @returns the ids of the signed messages whose name looks like the name of no other of these messages */
export function onlyOfTheirNames(messages: readonly Pick<Written, 'id' | 'name'>[]): ReadonlySet<string> {
  const byLook = new Map<string, string[]>();
  for (const { id, name } of messages) {
    if (name === null) continue;
    const look = lookOf(name);
    byLook.set(look, [...(byLook.get(look) ?? []), id]);
  }
  return new Set([...byLook.values()].filter(({ length }) => length === 1).flat());
}
