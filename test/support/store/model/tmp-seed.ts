import { runModel } from './run-model.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
const [from, to, ig] = process.argv.slice(2).map(Number);
const B = 2 ** 30; let images=0, bad=0, wrong=0; 
for (let s = from!; s <= to!; s++) { const r = new SeededRandom(s);
  try { const c = await runModel(() => r.below(B) / B, { ignoresLocks: ig === 1 }); images += c.images; wrong += c.wrongReplacements; }
  catch (e) { bad++; let c: any = e; const chain=[]; while (c) { chain.push(c.message.slice(-160)); c = c.cause; } console.log('seed', s, chain.slice(1).join(' | ')); if(to===from) console.log((e as Error).message, (e as any).cause) } }
console.log(JSON.stringify({wrong,from,to,ig,images,bad}));
