import type { CheckContext, PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { missingProgram } from '../readers/programs.ts';
import { CODE_LINES, KNOWN_TITLE } from '../world/known-thread.ts';

const WIDTH = '200';

/** Compares the text of the known thread with its posts, in the order of a nested thread. */
function checkText(text: string, place: Place, { worlds, faults }: CheckContext): void {
  const { marks } = worlds.known.thread;
  let from = 0;
  for (const mark of marks) {
    const at = text.indexOf(mark, from);
    if (at === -1) {
      const isElsewhere = text.includes(mark);
      faults.add(place, `"${mark}" ${isElsewhere ? 'stands before the post that it follows' : 'is missing'}`);
      return;
    }
    from = at + mark.length;
  }
  faults.expect(text.includes(KNOWN_TITLE), place, 'the title with markup is not shown as it was sent');
  // A text browser indents the whole block.
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() === CODE_LINES[0]);
  const indent = lines[first]?.indexOf(CODE_LINES[0]!) ?? 0;
  faults.expect(
    first !== -1 && CODE_LINES.every((line, index) => lines[first + index]?.slice(indent) === line),
    place,
    'code loses its line breaks or its indentation',
  );
}

/** A text browser reads the whole thread from its page, in order. */
function textBrowser(name: string, args: readonly string[], versionArgs: readonly string[]): PageCheck {
  return {
    name,
    description: `${name} shows a thread in order, with its code`,
    missing: () => missingProgram(name),
    async run(context) {
      const { worlds, commands, sandbox, faults } = context;
      const folder = await sandbox.createFolder();
      const path = `/posts/${worlds.known.thread.rootId}`;
      faults.examined += 1;
      const { code, stdout, stderr } = await commands.runClient(
        name,
        [...args, `${worlds.full.url}${path}`],
        {
          folder,
          settings: { LANG: 'C.UTF-8' },
        },
      );
      if (code === 0) checkText(stdout, { page: 'full thread' }, context);
      else faults.add({ page: 'full thread' }, `${name} fails: ${stderr.trim()}`);
      const { stdout: version } = await commands.runClient(name, versionArgs, { folder });
      return version.split('\n')[0]!.replace(/,.*/, '');
    },
  };
}

export const lynx = textBrowser(
  'lynx',
  ['-dump', '-nolist', `-width=${WIDTH}`, '-assume_charset=utf-8', '-display_charset=utf-8'],
  ['-version'],
);

export const w3m = textBrowser('w3m', ['-dump', '-cols', WIDTH, '-O', 'UTF-8'], ['-version']);
