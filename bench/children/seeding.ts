import { seed } from '../seed.ts';

const [folder, count] = process.argv.slice(2);
await seed(folder!, Number(count));
