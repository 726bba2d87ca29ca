import { seed } from '../seed.ts';
import { writeRows } from '../write-rows.ts';

const [folder = '', count] = process.argv.slice(2);
seed(folder, Number(count));
await writeRows(folder);
