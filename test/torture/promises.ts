import { acknowledge } from './acknowledge.ts';
import { cleanStop } from './clean-stop.ts';
import { clockBack } from './clock-back.ts';
import { damage } from './damage.ts';
import { diskFull } from './disk-full.ts';
import { eio } from './eio.ts';
import { greedy } from './greedy.ts';
import { kill } from './kill.ts';
import { killAtCall } from './kill-at-call.ts';
import { portTaken } from './port-taken.ts';
import { processes } from './processes.ts';
import type { TorturePromise } from './promise.ts';
import { readOnly } from './read-only.ts';
import { retries } from './retries.ts';
import { slowClients } from './slow-clients.ts';
import { stopped } from './stopped.ts';

/** In the order in which they are tried. */
export const PROMISES: readonly TorturePromise[] = [
  kill, killAtCall, acknowledge, damage, processes, stopped, diskFull, readOnly, eio, retries, portTaken, clockBack,
  cleanStop, slowClients, greedy,
];
