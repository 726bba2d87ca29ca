// Preloaded by a process under test: shifts its clock by the minutes in the file SHIFTED_CLOCK. The service reads the
// clock as Date only, which lint rules assure, and its timers go on by the real one.
import { readFileSync } from 'node:fs';

const RealDate = Date;
const realNow = Date.now;

function shiftedNow() {
  return realNow() + Number(readFileSync(process.env['SHIFTED_CLOCK'], 'utf8')) * 60_000;
}

RealDate.now = shiftedNow;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget),
});
