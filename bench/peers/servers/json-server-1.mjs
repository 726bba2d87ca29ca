// json-server 1.0: its command makes the same app of the same data. It only reads here, so that no file stands behind it.
import { readFileSync } from 'node:fs';
import { createApp } from 'json-server-1/lib/app.js';

const app = createApp({ data: JSON.parse(readFileSync(process.argv[2], 'utf8')) });
const server = app.listen(0, () => console.log(`http://127.0.0.1:${server.address().port}`), '127.0.0.1');
