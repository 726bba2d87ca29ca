/** Messages of protocol 3.0: https://www.postgresql.org/docs/current/protocol-message-formats.html */

const TLS_REQUEST = 80_877_103;

/** AuthenticationOk. */
export const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);

/** ReadyForQuery, outside of a transaction. */
export const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** @returns the type of a message, undefined for those that begin a connection */
export function typeOf(message: Buffer): string | undefined {
  return message[0] === 0 ? undefined : String.fromCharCode(message[0]!);
}

/** @param message one without a type */
export function isRequestForTls(message: Buffer): boolean {
  return message.readInt32BE(4) === TLS_REQUEST;
}

/** @param message a StartupMessage @returns the names of its parameters */
export function parametersOf(message: Buffer): string[] {
  const texts = message.toString('latin1', 8).split('\0');
  return texts.filter((text, index) => index % 2 === 0 && text !== '');
}

/** @returns an ErrorResponse that ends the connection */
export function fatalError(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Splits what arrives on a socket into messages. */
export class MessageReader {
  #bytes = Buffer.alloc(0);
  #isUntyped: boolean;

  /** @param options.startsUntyped whether messages without a type come first, as from a client */
  constructor({ startsUntyped = false } = {}) {
    this.#isUntyped = startsUntyped;
  }

  *read(bytes: Buffer): Iterable<Buffer> {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const start = this.#isUntyped ? 0 : 1;
      if (this.#bytes.length < start + 4) return;
      const end = start + this.#bytes.readInt32BE(start);
      if (this.#bytes.length < end) return;
      const message = this.#bytes.subarray(0, end);
      this.#bytes = this.#bytes.subarray(end);
      // The message after a request for TLS is untyped too.
      if (this.#isUntyped && !isRequestForTls(message)) this.#isUntyped = false;
      yield message;
    }
  }
}
