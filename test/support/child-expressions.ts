import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

// Prints the regular expressions that modules compose of parts while they load, as JSON: source, flags, place.

const ROOT = join(import.meta.dirname, '..', '..');
const found: { source: string; flags: string; place: string }[] = [];

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args, newTarget) {
    const made = Reflect.construct(target, args, newTarget) as RegExp;
    const place = new Error().stack?.split('\n')[2] ?? '';
    const isOurs = /[\\/](?:src|tools)[\\/]/.test(place) && !place.includes('node_modules');
    if (isOurs) found.push({ source: made.source, flags: made.flags, place });
    return made;
  },
});

// The command line would run.
for (const folder of ['src', 'tools'])
  for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.ts') && !file.startsWith(`cli${sep}`))
      await import(pathToFileURL(join(ROOT, folder, file)).href);
console.log(JSON.stringify(found));
process.exit();
