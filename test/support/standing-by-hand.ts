import { judgedPost, type Outcome, type Step } from '#message/step.ts';
import type { Standing } from '#work/model.ts';

const HOUR_MS = 3_600_000;
const JUDGING = ['not confirmed', 'partly confirmed', 'confirmed'] as const;

interface Options {
  /** A signer in lower case in place of the opener, in threads where it has written. */
  readonly viewer?: string | undefined;
  /** Signers whose words count in each thread, in place of those that are trusted there. */
  readonly honest?: ReadonlySet<string> | undefined;
}

interface OtherByHand {
  readonly outcome: Outcome | null;
  readonly id: string;
  readonly of?: string;
}

/** What the messages of each thread say of its RESULTs. */
export interface StandingByHand {
  readonly trustedIn: (rootId: string) => readonly string[];
  readonly distrustedIn: (rootId: string) => readonly string[];
  /** Of a thread whether its opener has ended the IDEA that begins it. */
  readonly hasEnded: (rootId: string) => boolean;
  readonly standingOf: (result: Step) => Standing;
  /** The outcomes of the words that decide it. */
  readonly wordsOf: (result: Step) => readonly (Outcome | null)[];
  readonly checkedOf: (result: Step) => readonly string[];
  readonly othersOf: (result: Step) => readonly OtherByHand[];
  readonly replacedBy: (result: Step) => string | undefined;
  readonly newerEdition: (result: Step) => string | undefined;
  readonly withdrawnBy: (result: Step) => string | undefined;
  /** How many others have reviewed it; those without a key are one. */
  readonly reviewersOf: (result: Step) => number;
  /** When the lists over all threads may have it. */
  readonly listedAt: (result: Step) => number | undefined;
}

export function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key) as Value;
  };
}

/**
 * Decides who is trusted and how RESULTs stand, sentence by sentence, by comparing each step with every other.
 * @param all steps, oldest first
 */
export function standingByHand(all: readonly Step[], { viewer, honest }: Options = {}): StandingByHand {
  const isLater = (a: Step, b: Step): boolean => a.createdAt > b.createdAt;
  const isShown = ({ isHeld }: Step): boolean => isHeld !== true;
  const signerOf = ({ mark }: Step): string | undefined => mark?.toLowerCase();
  const isSame = (a: Step, b: Step): boolean =>
    a.rootId === b.rootId && signerOf(a) !== undefined && signerOf(a) === signerOf(b);
  const inThread = memoize((rootId: string) => all.filter((step) => step.rootId === rootId));
  const writes = (rootId: string, signer: string): boolean =>
    inThread(rootId).some((step) => signerOf(step) === signer);

  // What a REVIEW judges, and what counts as a word.
  const judged = memoize((review: Step): Step | undefined => {
    const results = inThread(review.rootId).filter(
      (step) => step.prefix === 'RESULT' && isLater(review, step),
    );
    const id = judgedPost(review, (named) => results.some((result) => result.id === named));
    return results.find((result) => result.id === id);
  });
  const reviewsOf = memoize((result: Step): readonly Step[] =>
    inThread(result.rootId).filter((step) => step.prefix === 'REVIEW' && judged(step) === result),
  );
  const saysSomething = ({ outcome, hasEvidence }: Step): boolean =>
    outcome === 'withdrawn' || (outcome !== null && hasEvidence === true);
  /** The newest words on a RESULT of each other writer among some REVIEWs; none after "withdrawn". */
  const newestJudgements = (result: Step, some: readonly Step[]): Step[] => {
    const words = some.filter((review) => saysSomething(review) && !isSame(review, result));
    return words.filter(
      (word) =>
        word.outcome !== 'withdrawn' && !words.some((later) => isLater(later, word) && isSame(later, word)),
    );
  };
  /** When the writer of a word said so first, without another outcome since. */
  const saidSince = (word: Step, result: Step): string => {
    const own = reviewsOf(result).filter((review) => saysSomething(review) && isSame(review, word));
    const before = own.slice(0, own.indexOf(word));
    const other = before.findLastIndex(({ outcome }) => outcome !== word.outcome);
    return (before[other + 1] ?? word).createdAt;
  };

  // Who is trusted.
  const openerOf = memoize((rootId: string): string | undefined => {
    const opener = inThread(rootId).at(-1)?.opener;
    return opener !== undefined && writes(rootId, opener) ? opener : undefined;
  });
  const leadOf = (rootId: string): string | undefined =>
    viewer !== undefined && writes(rootId, viewer) ? viewer : openerOf(rootId);
  const linesOf = (rootId: string, signer: string): { readonly isTrusted: boolean; readonly at: string }[] =>
    inThread(rootId)
      .filter((step) => signerOf(step) === leadOf(rootId))
      .flatMap(({ trust = [], createdAt }) =>
        trust.filter((line) => line.signer === signer).map((line) => ({ ...line, at: createdAt })),
      );
  /** When a signer was let in; undefined if it is not. */
  const letIn = (rootId: string, signer: string): string | undefined => {
    const lead = leadOf(rootId);
    const confirmed = inThread(rootId)
      .filter((step) => step.prefix === 'RESULT' && signerOf(step) === signer)
      .flatMap((result) =>
        newestJudgements(
          result,
          reviewsOf(result).filter((review) => signerOf(review) === lead),
        )
          .filter(({ outcome }) => outcome === 'confirmed')
          .map((word) => saidSince(word, result)),
      )
      .sort()[0];
    const lines = linesOf(rootId, signer);
    const last = lines.at(-1);
    if (last === undefined) return confirmed;
    if (!last.isTrusted) return undefined;
    const distrusted = lines.findLastIndex((line) => !line.isTrusted);
    const trusted = lines[distrusted + 1]!.at;
    return distrusted < 0 && confirmed !== undefined && confirmed < trusted ? confirmed : trusted;
  };
  const signersIn = memoize((rootId: string) => [
    ...new Set(inThread(rootId).flatMap((step) => signerOf(step) ?? [])),
  ]);
  const trusted = memoize((rootId: string): ReadonlyMap<string, string> => {
    if (honest !== undefined) return new Map(Array.from(honest, (signer) => [signer, '']));
    const lead = leadOf(rootId);
    if (lead === undefined) return new Map();
    const found = signersIn(rootId).flatMap((signer): [string, string][] => {
      const since = signer === lead ? undefined : letIn(rootId, signer);
      return since === undefined ? [] : [[signer, since]];
    });
    const newest = found.sort(([, a], [, b]) => (a < b ? -1 : 1)).slice(-63);
    return new Map([[lead, ''], ...newest]);
  });
  /** A held one has no prefix, and of one that is gone nothing is known. */
  const mayBeIdea = (first: Step | undefined): boolean =>
    first === undefined || first.prefix === 'IDEA' || (first.prefix === null && first.isHeld === true);
  const endOf = (rootId: string): string | undefined =>
    inThread(rootId).find(
      (step) =>
        signerOf(step) !== undefined &&
        signerOf(step) === openerOf(rootId) &&
        step.ends?.includes(rootId) === true &&
        step.id !== rootId &&
        mayBeIdea(all.find(({ id }) => id === rootId)),
    )?.createdAt;

  // Votes.
  const isTrusted = (review: Step): boolean => trusted(review.rootId).has(signerOf(review) ?? '');
  const isSinceEnd = (review: Step): boolean => {
    const end = endOf(review.rootId);
    return end !== undefined && review.createdAt > end && signerOf(review) !== leadOf(review.rootId);
  };
  const deciding = memoize((result: Step) =>
    newestJudgements(
      result,
      reviewsOf(result).filter(
        (review) => isTrusted(review) && (honest !== undefined || !isSinceEnd(review)),
      ),
    ),
  );
  interface Vote {
    readonly outcome: Outcome | null;
    readonly since: string;
  }
  /** Each vote, that of the opener twice. */
  const votesOf = memoize((result: Step): Vote[] => {
    const lead = leadOf(result.rootId);
    const votes = deciding(result).flatMap((word): Vote[] => {
      const since = [saidSince(word, result), trusted(result.rootId).get(signerOf(word)!)!].sort().at(-1)!;
      const vote = { outcome: word.outcome, since };
      return signerOf(word) === lead ? [vote, vote] : [vote];
    });
    const isOfLead = lead !== undefined && signerOf(result) === lead;
    const first = votes.map(({ since }) => since).sort()[0];
    return isOfLead && first !== undefined ? [...votes, { outcome: 'confirmed', since: first }] : votes;
  });
  const byVotes = memoize((result: Step): Standing | undefined => {
    const count = (outcome: Outcome): number =>
      votesOf(result).filter((vote) => vote.outcome === outcome).length;
    const most = Math.max(...JUDGING.map(count));
    if (most === 0) return undefined;
    const first = JUDGING.filter((outcome) => count(outcome) === most);
    if (first.includes('not confirmed')) return first.length > 1 ? 'contested' : 'refuted';
    return first.includes('partly confirmed') ? 'partlyConfirmed' : 'confirmed';
  });
  const holds = (result: Step): boolean =>
    byVotes(result) === 'confirmed' || byVotes(result) === 'partlyConfirmed';

  // Editions and withdrawals.
  const withdrawalsOf = (result: Step): Step[] =>
    reviewsOf(result).filter(
      (review) =>
        isSame(review, result) && (review.outcome === 'withdrawn' || review.outcome === 'not confirmed'),
    );
  const isTakenDown = (result: Step): boolean => withdrawalsOf(result).length > 0 && !holds(result);
  const editionsOf = memoize((result: Step): readonly Step[] => {
    const direct = inThread(result.rootId).filter(
      (step) =>
        step.prefix === 'RESULT' &&
        isLater(step, result) &&
        step.corrects.includes(result.id) &&
        isSame(step, result),
    );
    return [...new Set([...direct, ...direct.flatMap(editionsOf)])].sort((a, b) => (isLater(a, b) ? 1 : -1));
  });
  const replacing = (result: Step): Step | undefined =>
    editionsOf(result).findLast((edition) => {
      if (isTakenDown(edition)) return false;
      if (byVotes(result) === 'confirmed') return byVotes(edition) === 'confirmed';
      return byVotes(result) === 'partlyConfirmed' ? holds(edition) : true;
    });
  const reviewersOf = (result: Step): number =>
    new Set(
      reviewsOf(result)
        .filter((review) => isShown(review) && !isSame(review, result))
        .map(signerOf),
    ).size;
  const standingOf = memoize((result: Step): Standing => {
    if (replacing(result) !== undefined) return 'replaced';
    if (isTakenDown(result)) return 'withdrawn';
    return byVotes(result) ?? (reviewersOf(result) > 0 ? 'reviewed' : 'unreviewed');
  });

  // What readers see beside the standing.
  const outcomeOf = (result: Step): Outcome | undefined =>
    (({ confirmed: 'confirmed', partlyConfirmed: 'partly confirmed', refuted: 'not confirmed' }) as const)[
      standingOf(result) as 'confirmed'
    ];
  const othersOf = (result: Step): OtherByHand[] => {
    const back: Step[] = [];
    let last = [result];
    while (last.length > 0 && back.length < 20) {
      last = last
        .flatMap(({ corrects }) => corrects)
        .flatMap(
          (id) => inThread(result.rootId).find((step) => step.id === id && step.prefix === 'RESULT') ?? [],
        )
        .filter((one) => isSame(one, result) && isLater(result, one) && !back.includes(one));
      back.push(...new Set(last));
    }
    const words = newestJudgements(result, reviewsOf(result)).map((word) => ({
      word,
      of: undefined as Step | undefined,
    }));
    const ofEditions = back.flatMap((edition) =>
      newestJudgements(edition, reviewsOf(edition))
        .filter(
          (word) =>
            signerOf(word) !== undefined &&
            word.outcome !== 'confirmed' &&
            ![result, ...back.filter((one) => isLater(one, edition))].some((later) =>
              newestJudgements(later, reviewsOf(later)).some((one) => isSame(one, word)),
            ),
        )
        .map((word) => ({ word, of: edition })),
    );
    const candidates = [...words, ...ofEditions].filter(({ word }) => isShown(word));
    const found = JUDGING.filter((outcome) => outcome !== outcomeOf(result)).flatMap(
      (outcome): OtherByHand[] => {
        const isDistrusted = (word: Step): boolean =>
          linesOf(word.rootId, signerOf(word) ?? '').at(-1)?.isTrusted === false &&
          signerOf(word) !== leadOf(word.rootId);
        const isTrusted = (word: Step): boolean => trusted(word.rootId).has(signerOf(word) ?? '');
        const [best] = candidates
          .filter(({ word }) => word.outcome === outcome)
          .sort(
            (a, b) =>
              Number(isTrusted(b.word)) - Number(isTrusted(a.word)) ||
              Number(signerOf(a.word) === undefined) - Number(signerOf(b.word) === undefined) ||
              Number(isDistrusted(a.word)) - Number(isDistrusted(b.word)) ||
              Number(a.of !== undefined) - Number(b.of !== undefined) ||
              (isLater(a.word, b.word) ? -1 : 1),
          );
        return best === undefined ? [] : [{ outcome, id: best.word.id, ...(best.of && { of: best.of.id }) }];
      },
    );
    const unclear = reviewsOf(result).findLast(
      (review) => isShown(review) && !saysSomething(review) && !isSame(review, result),
    );
    return standingOf(result) === 'reviewed' && unclear !== undefined
      ? [...found, { outcome: null, id: unclear.id }]
      : found;
  };
  return {
    trustedIn: (rootId) => [...trusted(rootId).keys()],
    distrustedIn: (rootId) =>
      signersIn(rootId).filter(
        (signer) => signer !== leadOf(rootId) && linesOf(rootId, signer).at(-1)?.isTrusted === false,
      ),
    hasEnded: (rootId) => endOf(rootId) !== undefined,
    standingOf,
    wordsOf: (result) => deciding(result).map(({ outcome }) => outcome),
    checkedOf: (result) =>
      deciding(result)
        .filter((word) => word.outcome === outcomeOf(result) && isShown(word))
        .sort((a, b) => Number(signerOf(b) === leadOf(b.rootId)) - Number(signerOf(a) === leadOf(a.rootId)))
        .slice(0, 3)
        .map(({ id }) => id),
    othersOf,
    replacedBy: (result) => {
      const edition = replacing(result);
      return edition !== undefined && isShown(edition) ? edition.id : undefined;
    },
    newerEdition: (result) => {
      if (!holds(result) || replacing(result) !== undefined) return undefined;
      const edition = editionsOf(result).findLast((one) => !isTakenDown(one));
      return edition !== undefined && isShown(edition) ? edition.id : undefined;
    },
    withdrawnBy: (result) => {
      const withdrawals = withdrawalsOf(result);
      return (withdrawals.findLast(isShown) ?? withdrawals.at(-1))?.id;
    },
    reviewersOf,
    listedAt: (result) => {
      const confirming = votesOf(result).filter(({ outcome }) => outcome === 'confirmed');
      const second = confirming.map(({ since }) => since).sort()[1];
      return standingOf(result) !== 'confirmed' || second === undefined || withdrawalsOf(result).length > 0
        ? undefined
        : Date.parse(second) + HOUR_MS;
    },
  };
}
