import fc from 'fast-check';
import {
  createSurfaces,
  hostileText,
  leastProcessorTime,
  LEADS,
  placesOf,
  UNITS,
} from '../support/entrance-time.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { assertReadSoon, longText, slowness } from '../support/text-time.ts';
import type { FuzzOptions } from './campaign.ts';

/** Milliseconds of the processor for one call, of client and server. */
const MAX_CALL_MS = 50;
const TRIES = 9;

/** Measures what reads the texts of strangers, with as many texts as `requests` says. */
export async function fuzzTime({ campaign, seed, requests }: FuzzOptions): Promise<void> {
  await campaign.check(
    { part: 'time', seed, runs: requests },
    longText,
    (text) => Promise.resolve().then(() => assertReadSoon(text)),
    (text) => JSON.stringify(text),
  );
  const closing: (() => Promise<void>)[] = [];
  const app = await setUp({ after: (close) => closing.push(close) }, { limits: NO_LIMITS, frozen: true });
  const surfaces = createSurfaces(app);
  const call = fc.record({
    tool: fc.constantFrom(...app.tools),
    surface: fc.constantFrom(...Object.keys(surfaces)),
    place: fc.nat(),
    lead: fc.constantFrom(...LEADS),
    unit: fc.tuple(fc.constantFrom(...UNITS), fc.constantFrom('', ...UNITS)).map((units) => units.join('')),
    bytes: fc.constantFrom(1_000, 8_000, 250_000),
  });
  await campaign.check(
    { part: 'time of calls', seed, runs: requests },
    call,
    async ({ tool, surface, place, lead, unit, bytes }) => {
      const places = Object.values(placesOf(tool, hostileText(lead, unit, bytes)));
      const send = surfaces[surface]!(tool, places[place % places.length]!);
      const time = await leastProcessorTime(send, MAX_CALL_MS, TRIES);
      if (time > MAX_CALL_MS * slowness()) throw new Error(`a call takes ${time.toFixed(1)} ms`);
    },
    ({ tool, ...rest }) => JSON.stringify({ tool: tool.name, ...rest }),
  );
  for (const close of closing) await close();
}
