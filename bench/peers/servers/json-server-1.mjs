// json-server 1.0: the app that its command creates, with data in memory, since the bench only reads.
import { readFileSync } from 'node:fs';
import { createApp } from 'json-server-1/lib/app.js';

const app = createApp({ data: JSON.parse(readFileSync(process.argv[2], 'utf8')) });
const server = app.listen(0, () => console.log(`http://127.0.0.1:${server.address().port}`), '127.0.0.1');
