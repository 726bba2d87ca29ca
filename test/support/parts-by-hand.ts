import { MAX_PARTS, partWords, type Step } from '#message/step.ts';
import type { PartState, Standing } from '#work/model.ts';

const DAY_MS = 24 * 60 * 60_000;

/** What is known of steps beside their parts. */
interface Known {
  readonly standingOf: (result: Step) => Standing;
  readonly isTrusted: (step: Step) => boolean;
  readonly isCopy: (result: Step) => boolean;
  /** Of a WORK. */
  readonly takesOf: (work: Step) => readonly string[];
  readonly endedBy: (work: Step) => Step | undefined;
  readonly dueOf: (work: Step) => number;
}

export interface PartByHand {
  readonly name: string;
  readonly state: PartState;
  /** The newest two, newest first. */
  readonly refuted: readonly string[];
  readonly announced: readonly string[];
}

/** A part, as the id of its IDEA and its words. */
type Part = string;

/**
 * Says sentence by sentence how the parts of an IDEA stand: it asks of each part what each message does with it.
 * @param all steps, oldest first
 */
export function partsByHand(all: readonly Step[], now: number, known: Known) {
  const { standingOf, isTrusted, isCopy, takesOf, endedBy, dueOf } = known;
  const isShown = ({ isHeld }: Step): boolean => isHeld !== true;
  const at = (step: Step): number => all.indexOf(step);
  const timeOf = ({ createdAt }: Step): number => Date.parse(createdAt);
  const isSameSigner = (one: Step, other: Step): boolean =>
    one.rootId === other.rootId && one.mark !== undefined && one.mark === other.mark;
  const hasOpener = (rootId: string): boolean =>
    all.findLast((step) => step.rootId === rootId)?.opener !== undefined;
  const isOpen = (work: Step): boolean => endedBy(work) === undefined;

  // The opener adds parts to the IDEA that begins the thread by a later message, 20 in all.
  const namesOf = (idea: Step, until: Step): string[] => {
    const names: string[] = [];
    for (const step of all.slice(at(idea), at(until) + 1)) {
      const isAdding = step.rootId === idea.id && step.prefix !== 'IDEA' && step.mark !== undefined;
      if (step !== idea && !(isAdding && step.mark === step.opener)) continue;
      for (const name of step.parts ?? [])
        if (!names.some((one) => partWords(one) === partWords(name))) names.push(name);
    }
    return names.slice(0, MAX_PARTS);
  };

  // "Part:" fits the part of the same words, or the only part of which one begins with the other.
  const begins = (one: string, other: string): boolean => {
    const [first, second] = [partWords(one).split(' '), partWords(other).split(' ')];
    return first.every((word, place) => word === second[place]);
  };
  const partsNamed = (step: Step): Part[] => {
    const about = step.prefix === 'WORK' ? takesOf(step) : [];
    const ideas = [...about, step.parentId, step.rootId].flatMap(
      (id) => all.slice(0, at(step)).filter((one) => one.id === id && one.prefix === 'IDEA') satisfies Step[],
    );
    const idea = ideas.find((one) => namesOf(one, step).length > 0);
    if (idea === undefined) return [];
    const found = (step.part ?? []).flatMap((named) => {
      const names = namesOf(idea, step);
      const same = names.filter((name) => partWords(name) === partWords(named));
      const alike = names.filter((name) => begins(name, named) || begins(named, name));
      const fitting = same.length > 0 ? same : alike;
      return fitting.length === 1 ? [`${idea.id} ${fitting[0]!}`] : [];
    });
    return [...new Set(found)];
  };

  // An edition is for the part of what it corrects. Else a RESULT is for what it or the WORKs that it ends name.
  const partsOfResult = (result: Step): Part[] => {
    const corrected = all
      .slice(0, at(result))
      .filter(
        (one) => one.prefix === 'RESULT' && result.corrects.includes(one.id) && isSameSigner(one, result),
      );
    const ofEarlier = result.corrects
      .flatMap((id) => corrected.find((one) => one.id === id) ?? [])
      .flatMap(partsOfResult);
    if (ofEarlier.length > 0) return [...new Set(ofEarlier)];
    const named = partsNamed(result);
    if (named.length > 0) return named;
    const works = all.filter((one) => one.prefix === 'WORK' && endedBy(one) === result).reverse();
    return [...new Set(works.flatMap(partsNamed).slice(0, 2))];
  };
  const partsOf = new Map<Step, Part[]>(
    all
      .filter(({ prefix }) => prefix === 'WORK' || prefix === 'RESULT')
      .map((step) => [step, step.prefix === 'WORK' ? partsNamed(step) : partsOfResult(step)]),
  );
  const isFor = (step: Step, part: Part): boolean => partsOf.get(step)?.includes(part) === true;
  const isFirstOf = (step: Step, part: Part): boolean => partsOf.get(step)?.[0] === part;

  // At most two parts a signer, 24 hours, renewed by its RESULT that stands.
  const holding = (part: Part, rootId: string): Step[] => {
    const inThread = all.filter((step) => step.rootId === rootId);
    const signers = [...new Set(inThread.filter(isTrusted).map(({ mark }) => mark))];
    return signers.flatMap((signer) => {
      const own = inThread.filter(({ mark }) => mark === signer);
      const standing = own.filter(
        (step) => step.prefix === 'RESULT' && !['refuted', 'withdrawn'].includes(standingOf(step)),
      );
      const renewal = standing.at(-1);
      const works = own.filter((step) => step.prefix === 'WORK' && isShown(step));
      const isBefore = (work: Step): boolean => renewal !== undefined && at(work) < at(renewal);
      const counting = works.filter(
        (work) => !isBefore(work) || (isOpen(work) && dueOf(work) > timeOf(renewal!)),
      );
      const firstTwo = [...new Set(counting.flatMap((work) => partsOf.get(work)!))].slice(0, 2);
      if (!firstTwo.includes(part)) return [];
      const taking = counting.filter((work) => isFor(work, part));
      const since = isBefore(taking[0]!) ? renewal! : taking[0]!;
      return taking.filter((work) => isOpen(work) && Math.min(dueOf(work), timeOf(since) + DAY_MS) > now);
    });
  };

  const describe = (idea: Step): PartByHand[] => {
    const { rootId } = idea;
    const inThread = all.filter((step) => step.rootId === rootId);
    const isSigned = hasOpener(rootId);
    // Where the opener did not sign, one part a message.
    const counts = (step: Step, part: Part): boolean =>
      isSigned ? isFor(step, part) : isFirstOf(step, part);
    const isUnvoted = (result: Step): boolean =>
      ['unreviewed', 'reviewed'].includes(standingOf(result)) && !isCopy(result);
    const isBeside = (step: Step): boolean =>
      isSigned &&
      isShown(step) &&
      (step.prefix === 'WORK' ? isOpen(step) : isUnvoted(step) && !isTrusted(step));
    return namesOf(idea, all.at(-1)!).map((name) => {
      const part = `${idea.id} ${name}`;
      const results = inThread.filter((step) => step.prefix === 'RESULT' && counts(step, part));
      const works = inThread.filter((step) => step.prefix === 'WORK' && counts(step, part));
      const has = (...standings: Standing[]): boolean =>
        results.some((result) => standings.includes(standingOf(result)));
      const isToReview =
        has('contested') || results.some((one) => isUnvoted(one) && (!isSigned || isTrusted(one)));
      const holders = isSigned
        ? holding(part, rootId)
        : works.filter((work) => isShown(work) && isOpen(work) && dueOf(work) > now);
      const refuted = results.filter((result) => standingOf(result) === 'refuted');
      // Others' stand beside, one a signer: the newest, for its first part.
      const beside = inThread.filter(
        (step) =>
          isBeside(step) &&
          isFirstOf(step, part) &&
          !holders.includes(step) &&
          (step.prefix === 'RESULT' || dueOf(step) > now) &&
          !inThread.some(
            (later) =>
              at(later) > at(step) &&
              later.mark === step.mark &&
              partsOf.has(later) &&
              partsOf.get(later)!.length > 0 &&
              isBeside(later),
          ),
      );
      const newest = (steps: readonly Step[]): string[] =>
        steps
          .filter(isShown)
          .map(({ id }) => id)
          .reverse()
          .slice(0, 2);
      const states = [
        ['confirmed', has('confirmed')],
        ['partlyConfirmed', has('partlyConfirmed')],
        ['toReview', isToReview],
        ['underWay', holders.length > 0],
        ['refuted', refuted.length > 0],
        ['free', true],
      ] as const;
      const [state] = states.find(([, holds]) => holds)!;
      // Readers see no part that a message adds that reports hold.
      const adding = all.find((step) => namesOf(idea, step).includes(name) && at(step) >= at(idea));
      const shown = adding !== undefined && isShown(adding) ? name : '(held)';
      return { name: shown, state, refuted: newest(refuted), announced: newest(beside) };
    });
  };
  return { describe, namesPart: (work: Step): boolean => partsNamed(work).length > 0 };
}
