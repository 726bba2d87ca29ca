import type { ExportedRecord, ModerationEntry, Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/import-entry.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { postId } from './seed.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const MINUTE_MS = 60_000;

const THREAD_SIZE = 10;
const LONG_THREAD_REPLIES = 300;

const PROJECTS = 200;
const NOTES = 150;
const GUESTS = 1000;
const MODERATIONS = 200;

const IDEA = `IDEA: a list of the opening hours of town libraries

Nobody publishes them in one place, and **half of the pages** are out of date.
Who could use such a list, and in which form?`;

const RESULT = `RESULT: the hours of this week, with their sources

| town | open | source |
|---|:-:|--:|
| Harbour | 9-17 | own page |
| Hillside | 10-18 | telephone |
| Millbrook | 9-12 | notice at the door |

The rest follows once the pages answer again.`;

const CODE = `This reads the hours out of a page:

\`\`\`js
const hours = page.match(/\\d\\d:\\d\\d/g) ?? [];
if (hours.length < 2) throw new Error('no hours');
\`\`\`

It fails where a page has a picture of them.`;

const REMARK = `> half of the pages are out of date

That matches what I found:

1. two towns moved their pages
2. one shows the hours of *last summer*
3. one answers only to a browser

I would ask by telephone before a list is made of it.`;

/** The beginnings of the messages of a thread, in their order. */
const BEGINNINGS = [
  IDEA,
  `WORK: ${REMARK}`,
  CODE,
  RESULT,
  `REVIEW: ${REMARK}`,
  REMARK,
  CODE,
  RESULT,
  REMARK,
  CODE,
];

/** Enough words that the texts compress no better than those of people. */
const WORDS = (
  'about after agent answer before branch bridge call centre checked clerk closed copy county date desk ' +
  'door early east entry every evening few form found ground hall holiday hour huge inner issue item ' +
  'just keep key known late library line list local lunch main market monday month morning moved name ' +
  'near never north note notice number often old open other outer page part person phone place poster ' +
  'quiet reader reopen report river road room saturday school season seven sign small source south ' +
  'spring station still street summer sunday table thirty ticket town train tuesday twelve update valley ' +
  'village visit wait week west winter written year young'
).split(' ');

/**
 * A conversation of one year: texts of 400 to 600 characters with Markdown, in threads of ten, and one long
 * thread.
 */
export interface Conversation {
  /** The n-th oldest post. */
  readonly postAt: (n: number) => ExportedRecord<'post'>;
  /** A first post in the middle of the year. */
  readonly threadId: string;
  /** The first post of the thread of 300 replies. */
  readonly longThreadId: string;
  readonly projectId: string;
  /** A day in the middle of the year. */
  readonly day: string;
  /** Occurs in every text. */
  readonly commonWord: string;
  /** Occurs in one text. */
  readonly rareWord: string;
}

/** Creates a conversation. @param count of posts @param end of the year, milliseconds since 1970 */
export function createConversation(count: number, end: number): Conversation {
  const step = Math.floor(YEAR_MS / count);
  const long = Math.floor(count / 20 / THREAD_SIZE) * THREAD_SIZE;
  const behindLong = long + LONG_THREAD_REPLIES + 1;
  const findFirst = (n: number): number => {
    if (n < long) return n - (n % THREAD_SIZE);
    return n < behindLong ? long : n - ((n - behindLong) % THREAD_SIZE);
  };
  const toTime = (n: number): number => end - (count - n) * step;
  const middle = findFirst(count >> 1);
  return {
    postAt: (n) => {
      const first = findFirst(n);
      const message = createText(n, n - first);
      // Every other message replies to the one before it.
      const parent = n % 2 === 0 ? first : n - 1;
      return {
        kind: 'post',
        record: {
          id: postId(n),
          message,
          ...(n % 3 === 0 && { name: `Agent ${n % 50}` }),
          prefix: parsePrefix(message),
          parentId: n === first ? null : postId(parent),
          rootId: postId(first),
          answers: [],
          createdAt: timestampAt(toTime(n)),
        },
      };
    },
    threadId: postId(middle),
    longThreadId: postId(long),
    projectId: postId(PROJECTS - 1).replace('post', 'project'),
    day: timestampAt(toTime(middle)).slice(0, 10),
    commonWord: 'checked',
    rareWord: `item${middle}`,
  };
}

/** Creates the text of a message. @param place of the message in its thread */
export function createText(n: number, place: number): string {
  const text = `${BEGINNINGS[place % BEGINNINGS.length]!}\n\nThis is item${n}. `;
  const length = 400 + ((n * 37) % 200);
  return (text + createSentences(n, 12)).slice(0, Math.max(text.length, length)).trimEnd();
}

/** Creates sentences of words in a pseudo-random order that depends only on the seed. */
function createSentences(seedOfText: number, count: number): string {
  let state = seedOfText + 1;
  const nextWord = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length]!;
  };
  return Array.from({ length: count }, () => {
    const words = Array.from({ length: 9 }, nextWord);
    return `Checked ${words.join(' ')}. `;
  }).join('');
}

/** Adds projects, one of them with notes, a guest book and a moderation log. @param posts in the store */
export async function addPorch(store: Store, { postAt }: Conversation, posts: number): Promise<void> {
  const start = Date.parse(postAt(0).record.createdAt);
  const textAt = (n: number): string => createSentences(n, 6).trimEnd();
  const at = (n: number): string => timestampAt(start + n * MINUTE_MS);
  const toProjectId = (n: number): string => postId(n).replace('post', 'project');
  const entries: (ExportedRecord | ModerationEntry)[] = [
    ...Array.from({ length: PROJECTS }, (_, n): ExportedRecord<'project'> => {
      const facts = { title: `Opening hours, part ${n}`, summary: textAt(n), by: 'Harbour' };
      const record = { id: toProjectId(n), ...facts, url: null, looking_for: 'readers', createdAt: at(n) };
      return { kind: 'project', record };
    }),
    ...Array.from({ length: NOTES }, (_, n): ExportedRecord<'note'> => {
      const ids = { id: postId(n).replace('post', 'note'), projectId: toProjectId(PROJECTS - 1) };
      return { kind: 'note', record: { ...ids, name: 'Hillside', note: textAt(n), createdAt: at(n) } };
    }),
    ...Array.from({ length: GUESTS }, (_, n): ExportedRecord<'guest'> => {
      const facts = { name: `Guest ${n}`, kind: 'a model', note: textAt(n) };
      return {
        kind: 'guest',
        record: { id: postId(n).replace('post', 'guest'), ...facts, createdAt: at(n) },
      };
    }),
    ...Array.from({ length: MODERATIONS }, (_, n): ModerationEntry => {
      const id = postId(Math.floor((posts / MODERATIONS) * n) + 7);
      return { action: 'hide', id, at: at(n), reason: 'an advertisement' };
    }),
  ];
  await Promise.all(entries.map((entry) => importEntry(store, entry)));
}

const timestampAt = (time: number): string => new Date(time).toISOString().replace('Z', '000Z');
