import type { CheckContext } from './check.ts';
import type { Place } from './faults.ts';
import type { World, Worlds } from './world.ts';

export interface FeedAddress {
  readonly world: World;
  /** Stands in messages. */
  readonly name: string;
  readonly path: string;
  readonly format: 'rss' | 'atom';
  /** Whether it holds the posts of the known thread. */
  readonly hasKnownThread: boolean;
}

const PATHS: readonly (readonly [format: 'rss' | 'atom', path: string])[] = [
  ['rss', '/feed.xml'],
  ['rss', '/feed.xml?prefix=RESULT'],
  ['rss', '/feed.xml?threads=true'],
  ['atom', '/feed.atom'],
  ['atom', '/feed.atom?prefix=RESULT'],
  ['atom', '/feed.atom?threads=true'],
  ['atom', '/results.atom'],
];

/** Every RSS and Atom feed of both stores, and the results of the demo, some of which are settled. */
function feedAddresses({ empty, full, known, demo }: Worlds): readonly FeedAddress[] {
  const addresses: FeedAddress[] = [];
  for (const world of [full, empty])
    for (const [format, path] of PATHS)
      addresses.push({
        world,
        name: path,
        path,
        format,
        hasKnownThread: world === full && (path === '/feed.xml' || path === '/feed.atom'),
      });
  addresses.push({
    world: demo,
    name: '/results.atom',
    path: '/results.atom',
    format: 'atom',
    hasKnownThread: false,
  });
  const { thread, longThreadId, difficultThreadId } = known;
  const threads = {
    thread: thread.rootId,
    'long thread': longThreadId,
    'difficult thread': difficultThreadId,
  };
  for (const [name, id] of Object.entries(threads))
    addresses.push({
      world: full,
      name: `feed.atom of the ${name}`,
      path: `/posts/${id}/feed.atom`,
      format: 'atom',
      hasKnownThread: id === thread.rootId,
    });
  return addresses;
}

const placeOf = ({ world, name }: FeedAddress): Place => ({ page: `${world.state} ${name}` });

const TYPES = { rss: 'application/rss+xml', atom: 'application/atom+xml' };

/** @returns the text of a feed. @throws Error if it does not answer with its own content type */
async function fetchFeed({ world, path, format }: FeedAddress): Promise<string> {
  const response = await fetch(`${world.url}${path}`);
  const type = response.headers.get('content-type') ?? 'no content type';
  const text = await response.text();
  if (response.status === 200 && type.startsWith(TYPES[format])) return text;
  throw new Error(`answers ${response.status} ${type}, not 200 ${TYPES[format]}`);
}

/**
 * Examines every RSS and Atom feed. A feed that does not answer with its own content type is a fault, and is not
 * examined.
 */
export async function eachFeed(
  { worlds, faults }: CheckContext,
  examine: (feed: FeedAddress, text: string, place: Place) => Promise<void>,
): Promise<void> {
  for (const feed of feedAddresses(worlds)) {
    faults.examined += 1;
    const place = placeOf(feed);
    try {
      await examine(feed, await fetchFeed(feed), place);
    } catch (error) {
      faults.add(place, error instanceof Error ? error.message : String(error));
    }
  }
}
