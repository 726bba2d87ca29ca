import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_WAITING = 256;

interface Pipeline {
  last: ServerResponse;
  waiting: number;
}

/**
 * Answers the requests of each connection one after the other. Node calls the listener for every pipelined request at once, and
 * holds each answer until those before it are read: one connection could ask for a thousand large pages in one packet. A connection
 * with too many requests waiting is closed.
 */
export function answerInOrder(listener: RequestListener, maxWaiting = MAX_WAITING): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    if (pipeline === undefined || pipeline.last.writableFinished) {
      pipelines.set(socket, { last: response, waiting: 0 });
      listener(request, response);
      return;
    }
    const { last } = pipeline;
    pipeline.last = response;
    pipeline.waiting += 1;
    if (pipeline.waiting > maxWaiting) {
      socket.destroy();
      return;
    }
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  };
}
