import { seed } from '../seed.ts';

const [folder = '', count] = process.argv.slice(2);
seed(folder, Number(count));
