import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CheckContext, PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { eachFeed, type FeedAddress } from '../feeds.ts';
import { pythonWith } from '../readers/programs.ts';

/** What requirements.txt of the validator names. */
const MODULES = ['lxml', 'html5lib', 'rdflib'];

const validatorPath = (): string => resolve(process.env['FEED_VALIDATOR'] ?? '', 'src', 'demo.py');

const pythonPath = (): string | undefined => pythonWith(...MODULES);

function missing(): string | undefined {
  if (process.env['FEED_VALIDATOR'] === undefined)
    return 'FEED_VALIDATOR is not set: the folder of a checkout of github.com/w3c/feedvalidator';
  if (!existsSync(validatorPath())) return 'FEED_VALIDATOR names no checkout of github.com/w3c/feedvalidator';
  return pythonPath() === undefined ? `no python3 has ${MODULES.join(', ')}` : undefined;
}

const PASSED = 'No errors or warnings';

/**
 * Warnings about the look of plain text: a name or a title of type `text` is no HTML, though the store holds such texts
 * with end tags in them.
 */
const PLAIN_TEXT = /^(?:name should not contain HTML|title should not contain HTML unless declared)/;

/** Validates at the level of the W3C's own service, which reports warnings too. */
async function examine(
  { commands, sandbox, faults }: CheckContext,
  feed: FeedAddress,
  place: Place,
): Promise<void> {
  const folder = await sandbox.createFolder();
  const args = [validatorPath(), `${feed.world.url}${feed.path}`, 'AA'];
  const { stdout, stderr } = await commands.run(pythonPath()!, args, { folder });
  if (stdout.includes(PASSED)) return;
  const lines = stdout.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('Validating '));
  if (lines.length === 0) faults.add(place, `the validator fails: ${stderr.trim().slice(-200)}`);
  for (const line of lines) {
    const [, at, message] = /^(line \d+, column \d+): (.*)$/.exec(line) ?? [];
    if (PLAIN_TEXT.test(message ?? '')) continue;
    faults.add(at === undefined ? place : { ...place, detail: at }, message ?? line);
  }
}

export const feedValidator: PageCheck = {
  name: 'feed-validator',
  description:
    "the W3C's feed validator (FEED_VALIDATOR=FOLDER) has no error, and no warning but of the look of plain text",
  missing,
  async run(context) {
    await eachFeed(context, (feed, _, place) => examine(context, feed, place));
    return 'level AA; plain text that looks like HTML is not counted';
  },
};
