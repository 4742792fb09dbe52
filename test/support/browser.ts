/** Opens pages in a real browser, so that tests check what the browser lets a page read and not only the headers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from './process.ts';

/** A page's request, in the form of `fetch`. */
export interface PageRequest {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
}

/** What the page could read: status, body and headers; or nothing, where the browser blocked the response. */
export type PageAnswer =
  | { readonly status: number; readonly body: string; readonly headers: { readonly [name: string]: string } }
  | { readonly blocked: true };

const PAGE = `<!doctype html><script type="module">
const answers = [];
for (const { url, headers } of await (await fetch('/requests')).json()) {
  try {
    const answer = await fetch(url, { headers });
    answers.push({ status: answer.status, body: await answer.text(), headers: Object.fromEntries(answer.headers) });
  } catch { answers.push({ blocked: true }); }
}
await fetch('/answers', { method: 'POST', body: JSON.stringify(answers) });
</script>`;

/**
 * Opens a page of `http://<host>:<port>` in Chromium, which sends these requests in sequence.
 *
 * @param host any name; the browser resolves all names below `.test` to this machine
 * @param requestsOf gets the origin of the page
 */
export async function inBrowser(
  host: string,
  requestsOf: (origin: string) => Promise<readonly PageRequest[]>,
): Promise<readonly PageAnswer[]> {
  const answered = Promise.withResolvers<readonly PageAnswer[]>();
  let requests: readonly PageRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') answered.resolve(JSON.parse(await text(request)));
    const isScript = request.url === '/requests';
    response.setHeader('Content-Type', isScript ? 'application/json' : 'text/html');
    response.end(isScript ? JSON.stringify(requests) : PAGE);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  requests = await requestsOf(origin);
  await using profile = await temporaryFolder();
  const args = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
    ...['--disable-background-networking', `--user-data-dir=${profile.path}`],
    ...['--host-resolver-rules=MAP *.test 127.0.0.1', '--remote-debugging-port=0', `${origin}/`],
  ];
  const browser = spawn('chromium', args, { stdio: 'ignore' });
  const ended = once(browser, 'exit');
  void ended.then(() => answered.reject(new Error('the browser ended before the page had its answers')));
  try {
    return await answered.promise;
  } finally {
    answered.promise.catch(() => {});
    browser.kill('SIGKILL');
    await ended;
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
}
