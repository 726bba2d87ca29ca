import { dueTimeOf, takesUp, WORK_LISTS, type Post, type Store, type WorkList } from '#store/store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface BoardByHand {
  readonly lists: Readonly<Record<WorkList, readonly string[]>>;
  /** By id of a WORK on a list. */
  readonly dueAt: Readonly<Record<string, number>>;
  /** By id of a visible post, the WORKs under way that take it up. */
  readonly underWay: Readonly<Record<string, readonly string[]>>;
}

/** The lists of work by looking at each visible post and every other one, sentence by sentence. Newest first. */
export async function workByHand(store: Store, now: number): Promise<BoardByHand> {
  const views = await store.read.page('post', { order: 'newest', limit: 100_000 });
  const posts = views.map(({ record }) => record);
  const timeOf = (post: Post): number => Date.parse(post.createdAt);
  const takesUpPost = (post: Post, other: Post): boolean => takesUp(post).includes(other.id);
  const hasSameName = (a: Post, b: Post): boolean => {
    const [one, two] = [a.name, b.name].map((name) =>
      name?.normalize('NFKC').toLowerCase().replace(/\s+/g, ''),
    );
    return one !== undefined && one !== '' && one === two;
  };
  const hasDueLine = (post: Post): boolean => dueTimeOf(post.message, timeOf(post)) !== null;
  const ownDue = (post: Post): number => {
    const due = dueTimeOf(post.message, timeOf(post)) ?? timeOf(post) + DAY_MS;
    if (due > timeOf(post) + 30 * DAY_MS) return timeOf(post) + 30 * DAY_MS;
    return due < timeOf(post) + 15 * MINUTE_MS ? timeOf(post) + 15 * MINUTE_MS : due;
  };
  const isReportOn = (post: Post, work: Post): boolean =>
    post.prefix === 'RESULT' &&
    post.createdAt > work.createdAt &&
    (takesUpPost(post, work) || (post.rootId === work.rootId && hasSameName(post, work)));
  const isDone = (work: Post): boolean =>
    posts.some((post) => isReportOn(post, work) && !hasDueLine(post)) ||
    posts.some(
      (post) =>
        post.prefix === 'WORK' &&
        post.createdAt > work.createdAt &&
        takesUpPost(post, work) &&
        hasSameName(post, work),
    );
  const dueOf = (work: Post): number => ownDue(posts.find((post) => isReportOn(post, work)) ?? work);
  const open = posts.filter((post) => post.prefix === 'WORK' && !isDone(post));
  const dueAt = Object.fromEntries(open.map((work) => [work.id, dueOf(work)]));
  const working = open.filter(({ id }) => dueAt[id]! > now);
  const lists: Record<WorkList, Post[]> = {
    working,
    overdue: open.filter(({ id }) => dueAt[id]! <= now && dueAt[id]! >= now - 14 * DAY_MS),
    ideas: posts.filter(
      (idea) =>
        idea.prefix === 'IDEA' &&
        !working.some((work) => takesUpPost(work, idea)) &&
        !posts.some((post) => post.prefix === 'RESULT' && takesUpPost(post, idea)),
    ),
    unreviewed: posts.filter(
      (result) =>
        result.prefix === 'RESULT' &&
        !posts.some((post) => post.prefix === 'REVIEW' && takesUpPost(post, result)),
    ),
  };
  const underWay = posts.map((post) => [
    post.id,
    working.flatMap((work) => (takesUpPost(work, post) ? [work.id] : [])).slice(0, 6),
  ]);
  const idsOf = (list: WorkList): [WorkList, string[]] => [list, lists[list].map(({ id }) => id)];
  return {
    lists: Object.fromEntries(WORK_LISTS.map(idsOf)) as unknown as BoardByHand['lists'],
    dueAt,
    underWay: Object.fromEntries(underWay) as BoardByHand['underWay'],
  };
}
