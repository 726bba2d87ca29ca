import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { placeOf } from '../browser/each-page.ts';
import type { PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { missingProgram } from '../readers/programs.ts';
import { visitedPages } from '../visited-pages.ts';

const SECONDS = 300;

/** Remarks about the characters and the language of texts. */
const OF_TEXTS = new RegExp(
  [
    '^Text run is not in Unicode Normalization Form C',
    '^Document uses the Unicode Private Use Area',
    '^This document appears to be written in',
  ].join('|'),
);

const readJarPath = (): string => createRequire(import.meta.url)('vnu-jar') as string;

interface Message {
  readonly type: string;
  /** The address of the file. */
  readonly url: string;
  readonly message: string;
  readonly lastLine?: number;
  readonly extract?: string;
}

export const html: PageCheck = {
  name: 'html',
  description:
    'the Nu validator finds no error and no warning but of the characters and the language of texts',
  missing: () => missingProgram('java'),
  async run({ worlds, faults, commands, sandbox }) {
    const folder = await sandbox.createFolder();
    const places = new Map<string, Place>();
    for (const target of visitedPages(worlds)) {
      const place = placeOf(target);
      faults.examined += 1;
      const response = await fetch(`${target.world.url}${target.path}`, { headers: { Accept: 'text/html' } });
      const type = response.headers.get('content-type') ?? 'no content type';
      const text = await response.text();
      if (response.status !== target.status || !type.startsWith('text/html')) {
        faults.add(place, `answers ${response.status} ${type}, not ${target.status} text/html`);
        continue;
      }
      const name = `${places.size}.html`;
      places.set(name, place);
      await writeFile(join(folder, name), text);
    }
    const args = ['-jar', readJarPath(), '--format', 'json', '--exit-zero-always', folder];
    const { stderr } = await commands.run('java', args, { folder, seconds: SECONDS });
    const { messages } = JSON.parse(stderr) as { messages: readonly Message[] };
    for (const { type, url, message, lastLine = 0, extract = '' } of messages) {
      if (OF_TEXTS.test(message)) continue;
      const place = places.get(url.slice(url.lastIndexOf('/') + 1)) ?? { page: url };
      faults.add({ ...place, detail: `line ${lastLine}, ${extract}` }, `${type}: ${message}`);
    }
    return '';
  },
};
