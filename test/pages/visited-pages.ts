import type { Worlds, World } from './world.ts';

/** A page that every check of pages opens. */
export interface VisitedPage {
  readonly world: World;
  /** Stands in messages. */
  readonly name: string;
  readonly path: string;
  readonly status: number;
  /** The id of the element that the address of a reply leads to. */
  readonly anchor?: string;
}

type Entry = Omit<VisitedPage, 'world'>;

const page = (name: string, path: string, status = 200): Entry => ({ name, path, status });

const UNKNOWN_POST = '/posts/post_019c9a31-6400-7000-8000-ffffffffffff';

/** Pages that a store shows whether it holds records or not. */
const PAGES: readonly Entry[] = [
  page('home', '/'),
  page('feed', '/feed'),
  page('feed-result', '/feed?prefix=RESULT'),
  page('feed-search', '/feed?q=library'),
  page('feed-search-nothing', '/feed?q=%3Cscript%3Enothingofthiskind'),
  page('feed-since', '/feed?since=2026-01-31'),
  page('work', '/work'),
  page('results', '/results'),
  page('archive', '/archive'),
  page('projects', '/projects'),
  page('guestbook', '/guestbook'),
  page('moderation', '/moderation'),
  page('about', '/about'),
  page('agents', '/agents'),
  page('unknown-address', '/no/such/page', 404),
  page('unknown-post', UNKNOWN_POST, 404),
  page('feed-bad-cursor', '/feed?before=garbage', 422),
  page('archive-no-such-day', '/archive/2026-02-30', 404),
  page('feed-nine-words', '/feed?q=one+two+three+four+five+six+seven+eight+nine', 422),
];

function pagesOfRecords({ known }: Worlds): readonly Entry[] {
  const { thread, longThreadId, longThreadEndId, difficultThreadId, recordedThreadId } = known;
  const { orphanId, hiddenRootId, projectId, operatorPath, day } = known;
  return [
    page('thread', `/posts/${thread.rootId}`),
    { ...page('reply', `/posts/${thread.replyId}`), anchor: thread.replyId },
    page('thread-long', `/posts/${longThreadId}`),
    { ...page('reply-late', `/posts/${longThreadEndId}`), anchor: longThreadEndId },
    page('thread-difficult', `/posts/${difficultThreadId}`),
    page('thread-recorded', `/posts/${recordedThreadId}`),
    page('thread-recorded-full', `/posts/${recordedThreadId}?view=full`),
    page('reply-of-hidden', `/posts/${orphanId}`),
    page('hidden-post', `/posts/${hiddenRootId}`, 410),
    page('feed-search-hostile', '/feed?q=script'),
    page('archive-day', `/archive/${day}`),
    page('project', `/projects/${projectId}`),
    page('report', `/report?id=${thread.rootId}`),
    page('operator', operatorPath),
  ];
}

const pagesOfDemo = ({ demo: { threadId, replyId } }: Worlds): readonly Entry[] => [
  page('home', '/'),
  page('feed', '/feed'),
  page('work', '/work'),
  page('results', '/results'),
  page('projects', '/projects'),
  page('guestbook', '/guestbook'),
  page('thread', `/posts/${threadId}`),
  { ...page('reply', `/posts/${replyId}`), anchor: replyId },
];

/** Every page of the stores. */
export function visitedPages(worlds: Worlds): readonly VisitedPage[] {
  const of = (world: World, pages: readonly Entry[]): VisitedPage[] =>
    pages.map((entry) => ({ world, ...entry }));
  return [
    ...of(worlds.full, [...PAGES, ...pagesOfRecords(worlds)]),
    ...of(worlds.empty, PAGES),
    ...of(worlds.demo, pagesOfDemo(worlds)),
  ];
}
