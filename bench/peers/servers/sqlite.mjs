// SQLite with synchronous=FULL: the requested number of inserts, each in a transaction of its own.
import Database from 'better-sqlite3';

const [path, text] = process.argv.slice(2);
const db = new Database(path);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('create table post (id integer primary key, message text)');
const insert = db.prepare('insert into post (message) values (?)');
process.on('message', ({ writers, each }) => {
  const start = performance.now();
  for (let n = 0; n < writers * each; n++) insert.run(text);
  process.send([performance.now() - start]);
});
