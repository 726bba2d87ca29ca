import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import test from 'node:test';
import { createNotificationQueue } from '#mcp/transport/notification-queue.ts';

/** An output whose buffer the test fills and drains. */
class TestOutput extends EventEmitter {
  readonly written: string[] = [];
  writableNeedDrain = false;

  write(text: string): boolean {
    this.written.push(text);
    return !this.writableNeedDrain;
  }

  drain(): void {
    this.writableNeedDrain = false;
    this.emit('drain');
  }
}

test('notifications are written at once while the output is not full', () => {
  const output = new TestOutput();
  const write = createNotificationQueue(output);
  for (const notification of ['a', 'b', 'a']) write(notification);
  assert.deepEqual(output.written, ['a', 'b', 'a']);
});

test('duplicate notifications are coalesced while the output is full, and written after it drains', () => {
  const output = new TestOutput();
  const write = createNotificationQueue(output);
  output.writableNeedDrain = true;
  for (let n = 0; n < 1000; n++) write(n % 2 === 0 ? 'a' : 'b');
  assert.deepEqual(output.written, []);
  assert.equal(output.listenerCount('drain'), 1);
  output.drain();
  assert.deepEqual(output.written, ['a', 'b']);
  write('a');
  assert.deepEqual(output.written, ['a', 'b', 'a']);
});

test('notifications stay queued if the output fills up again while it drains', () => {
  const output = new TestOutput();
  const write = createNotificationQueue(output);
  output.writableNeedDrain = true;
  for (const notification of ['a', 'b', 'c']) write(notification);
  output.write = (text) => {
    output.writableNeedDrain = true;
    return output.written.push(text) < 0;
  };
  for (let n = 1; n <= 3; n++) {
    output.drain();
    assert.equal(output.written.length, n);
  }
  output.drain();
  assert.deepEqual(output.written, ['a', 'b', 'c']);
});
