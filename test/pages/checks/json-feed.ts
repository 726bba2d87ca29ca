import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { CheckContext, PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { eachFeed, type FeedAddress } from '../feeds.ts';
import { JSON_FEED_SCHEMA } from '../json-feed-schema.ts';
import { checkKnownItems } from '../readers/known-items.ts';

interface JsonFeed {
  readonly feed_url?: string;
  readonly items: readonly {
    readonly id: string;
    readonly title?: string;
    readonly content_html?: string;
    readonly date_published?: string;
    readonly authors?: readonly { readonly name?: string }[];
  }[];
}

const ajv = new Ajv({ allErrors: true });
formats.default(ajv);
const isJsonFeed = ajv.compile(JSON_FEED_SCHEMA);

const describe = ({ instancePath, message = '', params }: ErrorObject): string =>
  `${instancePath.replaceAll(/\/\d+/g, '/N')} ${message} ${JSON.stringify(params)}`;

function examine({ faults }: CheckContext, address: FeedAddress, text: string, place: Place): void {
  const feed = JSON.parse(text) as JsonFeed;
  if (!isJsonFeed(feed)) {
    for (const error of isJsonFeed.errors ?? []) faults.add(place, describe(error));
    return;
  }
  faults.expect(
    feed.feed_url === `${address.world.url}${address.path}`,
    place,
    `feed_url is ${feed.feed_url}, not the address of the feed`,
  );
  const ids = feed.items.map(({ id }) => id);
  faults.expect(new Set(ids).size === ids.length, place, 'two items have one id');
  const times = feed.items.map(({ date_published = '' }) => Date.parse(date_published));
  faults.expect(
    times.every((time, index) => index === 0 || time <= times[index - 1]!),
    place,
    'the items are not newest first',
  );
  const shown = feed.items.map(({ title = '', authors, content_html = '' }) => ({
    title,
    author: authors?.[0]?.name ?? null,
    content: content_html,
  }));
  if (address.hasKnownThread) checkKnownItems(shown, place, faults);
}

export const jsonFeed: PageCheck = {
  name: 'json-feed',
  description: 'the JSON feeds hold to JSON Feed 1.1, with titles, authors and code as they were sent',
  async run(context) {
    await eachFeed(context, ['json'], async (...feed) => {
      examine(context, ...feed);
    });
    return 'schema written from the specification';
  },
};
