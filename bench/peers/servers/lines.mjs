// The upper limit: writes one prebuilt line, given in a JSON file, for every input line.
import { readFileSync } from 'node:fs';

const { line } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const bytes = Buffer.from(`${line}\n`);
const NEWLINE = 10;
process.stdin.on('data', (chunk) => {
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1))
    process.stdout.write(bytes);
});
