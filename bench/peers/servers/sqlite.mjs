// SQLite with synchronous=FULL: as many inserts as go into a time, each a transaction of its own.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

const db = new Database(workerData.path);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('create table post (id integer primary key, message text)');
const insert = db.prepare('insert into post (message) values (?)');
parentPort.on('message', (ms) => {
  const until = performance.now() + ms;
  let done = 0;
  for (; performance.now() < until; done++) insert.run(workerData.text);
  parentPort.postMessage(done / ms * 1000);
});
