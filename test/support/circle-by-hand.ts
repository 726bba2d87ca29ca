import { compareSketches, parseSketch, sketchOf } from '#message/sketch.ts';
import type { Outcome } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import type { Standing } from '#work/thread.ts';

/** How a RESULT stands, and what others say of it. */
export interface VerdictByHand {
  readonly standing: Standing;
  readonly reviewed: { readonly confirmed: number; readonly partly: number; readonly not: number };
  readonly others: readonly Outcome[];
  readonly newerEdition: string | undefined;
  readonly earlierNot: number;
}

export interface ThreadByHand {
  /** Marks in lower case. */
  readonly circle: ReadonlySet<string>;
  readonly verdicts: ReadonlyMap<string, VerdictByHand>;
}

const MAX_CIRCLE = 64;
const PHRASES = ['confirmed', 'partly confirmed', 'not confirmed', 'withdrawn'] as const;

/** The texts behind a label on the lines of a message that are not quoted. */
function linesOf(message: string, label: string): string[] {
  const begins = new RegExp(`^[\\s*_#+-]*${label}\\s*[*_]*[:：][\\s*_]*(.*)$`, 'i');
  return message.split('\n').flatMap((line) => begins.exec(line)?.[1] ?? []);
}

const idIn = (text: string): string | undefined => /post_[a-zA-Z0-9-]+/.exec(text)?.[0];

/** The outcome that a REVIEW says: one of the four phrases, alone on its line, the same on each such line. */
function outcomeOf({ message }: Post): Outcome | null {
  const said = linesOf(message, 'outcome').map((text) =>
    PHRASES.find((phrase) => new RegExp(`^${phrase}[\\s.*_]*$`, 'i').test(text)),
  );
  return said.length > 0 && said[0] !== undefined && new Set(said).size === 1 ? said[0] : null;
}

/** Whether a line names the evidence, with a word behind the colon or on the next line. */
const hasEvidence = ({ message }: Post): boolean =>
  /^[\s*_#+-]*(?:evidence|checks performed)(?:\s*\/[^:\n]*)?\s*[*_]*[:：](?:[^\n]*\w|[^\n]*\n[^:：\n]*\w)/im.test(
    message,
  );

interface Options {
  /** A mark in lower case whose circle is computed too. */
  readonly eyes?: string;
  /** Marks whose words count in place of those of a circle. */
  readonly trusted?: ReadonlySet<string>;
}

/**
 * Computes a thread sentence by sentence, by comparing each message with every other.
 * @param posts of one thread that are visible or held by reports, oldest first; the first begins the thread
 * @param opener the mark of the first message as it is stored, which may be hidden; null without one
 */
export function threadByHand(
  posts: readonly Post[],
  opener: string | null,
  { eyes, trusted }: Options = {},
): ThreadByHand {
  const place = new Map(posts.map((post, index) => [post, index]));
  const isLater = (a: Post, b: Post): boolean => place.get(a)! > place.get(b)!;
  const marksInThread = [...posts.map(({ mark }) => mark), ...(posts[0]?.parentId === null ? [] : [opener])];
  const isClaimed = (mark: string): boolean =>
    marksInThread.includes(mark.toLowerCase()) ||
    marksInThread.filter((other) => other?.toLowerCase() === mark.toLowerCase()).length > 1;
  /** The claimed mark of a message. */
  const writerOf = ({ mark }: Post): string | null =>
    mark !== undefined && isClaimed(mark) ? mark.toLowerCase() : null;
  const results = posts.filter(({ prefix }) => prefix === 'RESULT');
  const reviews = posts.filter(({ prefix }) => prefix === 'REVIEW');
  const judgedBy = (review: Post): Post | undefined => {
    const named = linesOf(review.message, 'result being checked(?:\\s*\\([^)]*\\))?').flatMap(
      (text) => idIn(text) ?? [],
    );
    const id = named[0] ?? review.parentId;
    return results.find((result) => result.id === id && isLater(review, result));
  };
  const judged = new Map(reviews.map((review) => [review, judgedBy(review)]));

  // What each claimed writer says of a RESULT of another.
  const says = (result: Post): { readonly review: Post; readonly by: string; readonly outcome: Outcome }[] =>
    reviews.flatMap((review) => {
      const outcome = outcomeOf(review);
      const by = writerOf(review);
      if (judged.get(review) !== result || outcome === null || by === null) return [];
      if (by === writerOf(result) || (outcome !== 'withdrawn' && !hasEvidence(review))) return [];
      return [{ review, by, outcome }];
    });

  // The circle.
  const lines = posts
    .filter((post) => opener !== null && writerOf(post) === opener.toLowerCase())
    .flatMap(({ message }) => linesOf(message, 'circle'))
    .flatMap((text) => {
      const [, how, marks] = /^(with|without)\s+(.*)$/i.exec(text) ?? [];
      return (marks?.match(/[0-9a-z]{12}/gi) ?? []).map((mark) => ({
        mark: mark.toLowerCase(),
        isIn: how?.toLowerCase() === 'with',
      }));
    });
  const lineOf = (mark: string): boolean | undefined => lines.findLast((line) => line.mark === mark)?.isIn;
  const sketches = new Map(results.map((result) => [result, sketchOf(result.message)]));
  const resembles = (later: Post, earlier: Post): boolean => {
    const [one, other] = [sketches.get(later), sketches.get(earlier)];
    return one != null && other != null && compareSketches(parseSketch(one), parseSketch(other)) !== null;
  };
  const isRefuted = (result: Post, circle: ReadonlySet<string>): boolean => {
    const { confirmed, partly, not } = counted(result, circle);
    return not > 0 && confirmed + partly === 0;
  };
  const counted = (result: Post, circle: ReadonlySet<string>) => {
    const said = says(result).filter(({ by }) => circle.has(by));
    const newest = said.filter(({ by }, index) => !said.slice(index + 1).some((one) => one.by === by));
    const count = (outcome: Outcome): number => newest.filter((one) => one.outcome === outcome).length;
    return {
      confirmed: count('confirmed'),
      partly: count('partly confirmed'),
      not: count('not confirmed'),
    };
  };
  const bringsIn = (by: string, result: Post): boolean => {
    const said = says(result).filter((one) => one.by === by);
    return (
      said.findLast(({ outcome }) => outcome === 'confirmed' || outcome === 'not confirmed')?.outcome ===
      'confirmed'
    );
  };
  const circle = new Set<string>();
  const join = (mark: string): void => {
    if (circle.size < MAX_CIRCLE) circle.add(mark);
  };
  if (trusted !== undefined) for (const mark of trusted) circle.add(mark);
  else {
    const first = opener !== null && isClaimed(opener) ? [opener.toLowerCase()] : [];
    for (const mark of [...first, ...(eyes === undefined ? [] : [eyes])]) join(mark);
    if (first.length > 0) for (const { mark } of lines) if (lineOf(mark) === true) join(mark);
    const isOut = (mark: string): boolean => lineOf(mark) === false && mark !== eyes;
    for (let size = 0; size < circle.size; ) {
      size = circle.size;
      // Those whom the members so far have confirmed, by the time of the confirmation.
      const members = new Set(circle);
      const found = results.flatMap((result) => {
        const to = writerOf(result);
        const earlier = results.filter(
          (one) => isLater(result, one) && writerOf(one) !== to && resembles(result, one),
        );
        if (to === null || members.has(to) || isOut(to) || earlier.some((one) => !isRefuted(one, members)))
          return [];
        return [...members]
          .filter((by) => bringsIn(by, result))
          .map((by) => ({
            to,
            at: says(result).findLast((one) => one.by === by && one.outcome === 'confirmed')!.review,
          }));
      });
      for (const { to } of found.sort((a, b) => place.get(a.at)! - place.get(b.at)!)) join(to);
    }
  }

  // Standings.
  const withdrawn = (result: Post): boolean =>
    writerOf(result) !== null &&
    reviews.some(
      (review) =>
        judged.get(review) === result &&
        writerOf(review) === writerOf(result) &&
        ['withdrawn', 'not confirmed'].includes(outcomeOf(review) ?? ''),
    );
  const standingBy = ({ confirmed, partly, not }: VerdictByHand['reviewed']): Standing => {
    if (confirmed + partly + not === 0) return 'unreviewed';
    if (not > 0) return confirmed + partly > 0 ? 'contested' : 'notConfirmed';
    return partly > 0 ? 'partly' : 'confirmed';
  };
  const successors = (result: Post): Post[] =>
    results.filter(
      (later) =>
        isLater(later, result) &&
        writerOf(later) !== null &&
        writerOf(later) === writerOf(result) &&
        linesOf(later.message, '(?:corrects|replaces|correction of)').some((text) =>
          text.includes(result.id),
        ) &&
        !withdrawn(later),
    );
  const isReplacedBy = (result: Post, later: Post): boolean =>
    standingBy(counted(result, circle)) !== 'confirmed' || standingOf(later) === 'confirmed';
  const standingOf = (result: Post): Standing => {
    if (successors(result).some((later) => isReplacedBy(result, later))) return 'replaced';
    return withdrawn(result) ? 'withdrawn' : standingBy(counted(result, circle));
  };
  const verdicts = new Map(
    results.map((result): [string, VerdictByHand] => {
      const standing = standingOf(result);
      const writer = writerOf(result);
      const others = says(result)
        .filter(({ by }) => !circle.has(by))
        .map(({ outcome }) => outcome);
      const unclaimed = reviews.filter(
        (review) => judged.get(review) === result && writerOf(review) === null && hasEvidence(review),
      );
      const said = [...others, ...unclaimed.flatMap((review) => outcomeOf(review) ?? [])];
      return [
        result.id,
        {
          standing,
          reviewed: counted(result, circle),
          others: PHRASES.filter((phrase) => phrase !== 'withdrawn' && said.includes(phrase)),
          newerEdition: standing === 'confirmed' ? successors(result).at(-1)?.id : undefined,
          earlierNot:
            writer === null
              ? 0
              : results.filter(
                  (one) => isLater(result, one) && writerOf(one) === writer && isRefuted(one, circle),
                ).length,
        },
      ];
    }),
  );
  return { circle, verdicts };
}
