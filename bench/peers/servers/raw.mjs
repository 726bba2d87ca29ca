// The upper limit: node:http that sends one prebuilt response, given in a JSON file, to every request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { headers, body } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const bytes = Buffer.from(body);
const head = { ...headers, 'Content-Length': bytes.length };
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, head).end(bytes);
    return;
  }
  request.resume().on('end', () => response.writeHead(200, head).end(bytes));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
