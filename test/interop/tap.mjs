// Forwards standard input and output between a client and a command, and records both: node tap.mjs FILE
// COMMAND ARGUMENT…
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const record = (bytes) => {
  appendFileSync(file, bytes);
};
process.stdin.on('data', record).pipe(child.stdin);
child.stdout.on('data', record).pipe(process.stdout);
child.stdin.on('error', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
