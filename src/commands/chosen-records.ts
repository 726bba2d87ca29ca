import type { CountedRecord, Timestamp } from '#store/port/records.ts';
import type { Reader, Store } from '#store/port/store.ts';
import { queryWordsOf, wordsOf } from '#message/words.ts';
import { MAX_CANDIDATES } from '#workspace/reading/page.ts';
import { findVisible } from '#workspace/moderation/reports.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import { confirm, CommandError, UsageError, type CommandArgs, type CommandOutput } from './command.ts';
import { describeRecord } from './printable.ts';

const MAX_WITHOUT_ALL = 1000;

const SHOWN = 10;
const PAGE_SIZE = 500;

/** As many writes as a database stores in one transaction. */
const WRITES_AT_ONCE = 500;

const ID = /\b(?:post|guest|project|note)_[a-zA-Z0-9-]+/;

/**
 * Finds the records on which a command acts: ids in its arguments or on standard input (`-`), the posts of
 * `--thread`, or the posts that match `--matching`. Unless the ids are arguments, it prints the records and
 * asks for confirmation.
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
  const isPiped = positionals.length === 1 && positionals[0] === '-';
  if (positionals.length > 0 && !isPiped) return [...new Set(positionals)];
  const posts = thread === undefined ? findMatching(read, matching ?? '') : findThread(read, thread);
  const lines = isPiped ? (await args.readInput()).split('\n') : [];
  const ids = [...new Set(lines.flatMap((line) => ID.exec(line)?.[0] ?? []))];
  if (!isPiped) for await (const page of posts) for (const { record } of page) ids.push(record.id);
  if (ids.length === 0)
    throw new CommandError(isPiped ? 'Standard input contains no id.' : 'No visible post matches.');
  for (const id of ids.slice(0, SHOWN)) {
    const record = await findVisible(read, id);
    output.printResult(record === undefined ? id : describeRecord(record));
  }
  if (ids.length > SHOWN) output.printResult(`and ${ids.length - SHOWN} more`);
  if (ids.length > MAX_WITHOUT_ALL && !isPiped && args.all !== true)
    throw new CommandError(
      `${ids.length} posts are more than ${MAX_WITHOUT_ALL}. Nothing was done; add --all if you mean ` +
        'them all.',
    );
  const noun = isPiped ? 'record' : 'post';
  const subject = ids.length === 1 ? `this ${noun}` : `these ${ids.length} ${noun}s`;
  await confirm(`${verb} ${subject}? (y/N) `, args, output);
  return ids;
}

async function* findThread(read: Reader, id: string): AsyncGenerator<CountedRecord<'post'>[]> {
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

async function* findMatching(read: Reader, text: string): AsyncGenerator<CountedRecord<'post'>[]> {
  const { error } = wordsField.safeParse(text);
  if (error !== undefined) throw new UsageError(`--matching ${error.issues[0]?.message ?? 'is invalid'}.`);
  const { words } = queryWordsOf(text);
  let before: Timestamp | undefined;
  for (;;) {
    // With fewer candidates a rare word among a million posts would take thousands of reads.
    const range = { before, limit: PAGE_SIZE, maxCandidates: MAX_CANDIDATES };
    const { items, examinedTo } = await read.feed({ words }, range);
    // Only whole words match: "spam" does not match "spammer".
    yield items.filter(({ record }) => {
      const recordWords = wordsOf(record);
      return words.every((word) => recordWords.has(word));
    });
    if (examinedTo === null) return;
    before = examinedTo;
  }
}

/** Acts on every record. @param act returns why it failed, if it did @throws CommandError if any fails */
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
        // An argument that is not an id may be a password.
        const [id = 'an argument that is not an id'] = ID.exec(batch[index] ?? '') ?? [];
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
