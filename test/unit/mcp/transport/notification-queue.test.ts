import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import test from 'node:test';
import { NotificationQueue } from '#mcp/transport/notification-queue.ts';

/** Somebody who may or may not be reading. */
class Sink extends EventEmitter {
  readonly taken: string[] = [];
  writableNeedDrain = false;

  write(text: string): boolean {
    this.taken.push(text);
    return !this.writableNeedDrain;
  }

  readAgain(): void {
    this.writableNeedDrain = false;
    this.emit('drain');
  }
}

test('notices go out as they come', () => {
  const sink = new Sink();
  const outlet = new NotificationQueue(sink);
  for (const notice of ['a', 'b', 'a']) outlet.write(notice);
  assert.deepEqual(sink.taken, ['a', 'b', 'a']);
});

test('for who does not read a notice waits once, however often it comes, and goes out when they read again', () => {
  const sink = new Sink();
  const outlet = new NotificationQueue(sink);
  sink.writableNeedDrain = true;
  for (let n = 0; n < 1000; n++) outlet.write(n % 2 === 0 ? 'a' : 'b');
  assert.deepEqual(sink.taken, []);
  assert.equal(sink.listenerCount('drain'), 1);
  sink.readAgain();
  assert.deepEqual(sink.taken, ['a', 'b']);
  outlet.write('a');
  assert.deepEqual(sink.taken, ['a', 'b', 'a']);
});

test('what waits goes on waiting where a little reading is not enough', () => {
  const sink = new Sink();
  const outlet = new NotificationQueue(sink);
  sink.writableNeedDrain = true;
  for (const notice of ['a', 'b', 'c']) outlet.write(notice);
  sink.write = (text) => {
    sink.writableNeedDrain = true;
    return sink.taken.push(text) < 0;
  };
  for (let n = 1; n <= 3; n++) {
    sink.readAgain();
    assert.equal(sink.taken.length, n);
  }
  sink.readAgain();
  assert.deepEqual(sink.taken, ['a', 'b', 'c']);
});
