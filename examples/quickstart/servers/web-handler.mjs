/** Turns a function from `Request` to `Response` into a request listener of `node:http`. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * @param {(request: Request) => Promise<Response>} fetch
 * @returns {(req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse) => Promise<void>}
 */
export function onNodeHttp(fetch) {
  return async (req, res) => {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const hasBody = req.method !== 'GET' && req.method !== 'HEAD';
    const response = await fetch(
      new Request(new URL(req.url, `http://${req.headers.host}`), {
        method: req.method,
        headers: Object.entries(req.headersDistinct).flatMap(([name, all]) => all.map(value => [name, value])),
        signal: gone.signal,
        ...(hasBody ? { body: Readable.toWeb(req), duplex: 'half' } : {}),
      }),
    );
    res.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) res.end();
    else await pipeline(Readable.fromWeb(response.body), res);
  };
}
