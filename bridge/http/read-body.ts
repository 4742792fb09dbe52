import type { IncomingMessage } from 'node:http';

/** Limit on the body of a request: 8 MiB, as in the gateway. */
export const MAX_BODY_BYTES: number = 8 * 1024 * 1024;

/** The body of a request; undefined when the body exceeds the limit, or the client has disconnected. */
export function readBody(req: IncomingMessage): Promise<string | undefined> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.once('end', () => resolve(bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')));
    req.once('close', () => resolve(undefined));
  });
}
