import type { Reader, RecordView, Store, Timestamp } from '#store/port/store.ts';
import { queryWords } from '#workspace/feed-page.ts';
import { findVisible } from '#workspace/reports.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import { confirm, CommandError, UsageError, type CommandArgs, type CommandOutput } from './command.ts';
import { describeRecord } from './printable.ts';

const MAX_WITHOUT_ALL = 1000;

const SHOWN = 10;
const PAGE_SIZE = 500;
const MAX_CANDIDATES = 20_000;

/** Writes that are waiting at once: one transaction of a database. */
const WRITES_AT_ONCE = 500;

const ID = /\b(?:post|guest|project|note)_[a-zA-Z0-9-]+/;

/**
 * The records that a command is about: the ids of its arguments, one on each line of standard input for `-`,
 * the posts of `--thread`, or those of `--matching`. It prints what it has found by itself, and asks.
 * @returns at least one id
 * @throws UsageError, CommandError
 */
export async function chooseRecords(
  { read }: Store,
  args: CommandArgs,
  output: CommandOutput,
  verb: string,
): Promise<string[]> {
  const { positionals, thread, matching } = args;
  const ways = [positionals.length > 0, thread !== undefined, matching !== undefined];
  if (ways.filter(Boolean).length !== 1)
    throw new UsageError('Give ids, - to read ids from standard input, --thread ID or --matching WORDS.');
  if (positionals.length > 0) return readIds(args);
  const posts = thread === undefined ? findMatching(read, matching ?? '') : findThread(read, thread);
  const found: RecordView<'post'>[] = [];
  for await (const page of posts) found.push(...page);
  if (found.length === 0) throw new CommandError('There is no visible post like this.');
  for (const { record } of found.slice(0, SHOWN)) output.printResult(describeRecord(record));
  if (found.length > SHOWN) output.printResult(`and ${found.length - SHOWN} more`);
  if (found.length > MAX_WITHOUT_ALL && args.all !== true)
    throw new CommandError(
      `${found.length} posts are more than ${MAX_WITHOUT_ALL}. Nothing was done; add --all if you mean ` +
        'them all.',
    );
  await confirm(
    `${verb} ${found.length === 1 ? 'this post' : `these ${found.length} posts`}? (y/N) `,
    args,
    output,
  );
  return found.map(({ record }) => record.id);
}

async function readIds({ positionals, readInput }: CommandArgs): Promise<string[]> {
  if (positionals.length > 1 || positionals[0] !== '-') return [...new Set(positionals)];
  const lines = (await readInput()).split('\n');
  const ids = lines.flatMap((line) => ID.exec(line)?.[0] ?? []);
  if (ids.length === 0) throw new CommandError('Standard input has no id.');
  return [...new Set(ids)];
}

/** The visible posts of the thread that a post belongs to. @throws CommandError */
async function* findThread(read: Reader, id: string): AsyncGenerator<RecordView<'post'>[]> {
  const post = await findVisible(read, id);
  // The first post of a thread may be hidden already.
  const thread = post !== undefined && 'rootId' in post ? post.rootId : id;
  let after: Timestamp | undefined;
  for (;;) {
    const page = await read.page('post', { thread, order: 'oldest', after, limit: PAGE_SIZE });
    yield page;
    after = page.at(-1)?.record.createdAt;
    if (page.length < PAGE_SIZE) return;
  }
}

async function* findMatching(read: Reader, text: string): AsyncGenerator<RecordView<'post'>[]> {
  const { error } = wordsField.safeParse(text);
  if (error !== undefined) throw new UsageError(`--matching ${error.issues[0]?.message ?? 'is invalid'}.`);
  const words = queryWords(text);
  let before: Timestamp | undefined;
  for (;;) {
    const range = { before, limit: PAGE_SIZE, maxCandidates: MAX_CANDIDATES };
    const { items, examinedTo } = await read.feed({ words }, range);
    yield items;
    if (examinedTo === null) return;
    before = examinedTo;
  }
}

/**
 * Does something to each of several records. A failure of one does not stop the rest.
 * @param act returns why it could not be done, undefined after a success
 * @param success is printed if all succeeded
 * @throws CommandError if one failed
 */
export async function doToEach(
  ids: readonly string[],
  act: (id: string) => Promise<string | undefined>,
  success: string,
  { logStatus, progress }: CommandOutput,
): Promise<void> {
  const failures: string[] = [];
  const interrupted = (done: number): string => `Interrupted after ${done} of ${ids.length}.`;
  await progress({ unit: 'records', total: ids.length, interrupted }, async (advance) => {
    for (let start = 0; start < ids.length; start += WRITES_AT_ONCE) {
      const batch = ids.slice(start, start + WRITES_AT_ONCE);
      const outcomes = await Promise.allSettled(batch.map((id) => act(id)));
      for (const [index, outcome] of outcomes.entries()) {
        const failure = outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason);
        // An argument that is no id may be a password.
        const [id = 'an argument that is no id'] = ID.exec(batch[index] ?? '') ?? [];
        if (failure !== undefined) failures.push(ids.length === 1 ? failure : `${id}: ${failure}`);
      }
      advance(batch.length);
    }
  });
  if (failures.length === 0) {
    logStatus(ids.length === 1 ? success : `${success} (${ids.length} records)`);
    return;
  }
  if (ids.length === 1) throw new CommandError(failures[0] ?? '');
  for (const failure of failures) logStatus(failure);
  throw new CommandError(`Done for ${ids.length - failures.length} of ${ids.length}.`);
}
