// Express 5: /prebuilt sends a prebuilt buffer, /json serializes, POST /store parses a JSON body and stores
// nothing.
import { readFileSync } from 'node:fs';
import express from 'express';

const { headers, body } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const bytes = Buffer.from(body);
const value = JSON.parse(body);
const app = express();
app.get('/prebuilt', (request, response) => response.set(headers).send(bytes));
app.get('/json', (request, response) => response.set(headers).json(value));
app.post('/store', express.json(), (request, response) =>
  response.status(201).json({ id: 'post_0', message: request.body.message }),
);
const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
