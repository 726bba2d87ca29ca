// Preloaded by a process under test: appends the longest turn of the event loop of each quarter of a second, in
// milliseconds, to the file TURNS. A turn counts for at most the processor time that the process has had meanwhile,
// so that a busy machine makes none longer.
import { appendFileSync } from 'node:fs';
import { setInterval } from 'node:timers';

const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let last = { at: performance.now(), used: processorMs() };
let longest = 0;
setInterval(() => {
  const now = { at: performance.now(), used: processorMs() };
  longest = Math.max(longest, Math.min(now.at - last.at, now.used - last.used));
  last = now;
}, 1).unref();
setInterval(() => {
  appendFileSync(process.env['TURNS'], `${longest.toFixed(1)}\n`);
  longest = 0;
}, 250).unref();
