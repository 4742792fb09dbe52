/** The HTTP server of the example's MCP servers: one endpoint on the loopback interface. */
import { createServer } from 'node:http';

const HOST = '127.0.0.1';
const PATH = '/mcp';
const LOCAL_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Serves `handle` at `http://127.0.0.1:<port>/mcp` until SIGTERM or SIGINT. When the server listens, it prints `{"url": …}` as one
 * line on standard output. If it cannot listen on the port, the process ends with exit code 2.
 *
 * @param {object} options
 * @param {string} options.port decimal; 0 for any free port
 * @param {(req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse) => Promise<void>} options.handle
 */
export function serveOnLoopback({ port, handle }) {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) fail(`--port ${port}: expected a number from 0 to 65535`);

  const server = createServer(async (req, res) => {
    try {
      if (!isLocal(req)) respond(res, 403, 'this server answers local programs only');
      else if (new URL(req.url ?? '/', `http://${HOST}`).pathname !== PATH)
        respond(res, 404, `the endpoint is ${PATH}`);
      else await handle(req, res);
    } catch (error) {
      // A client that closed the connection is no error to log.
      if (res.destroyed) return;
      console.error(error);
      if (res.headersSent) res.destroy();
      else respond(res, 500, 'internal error');
    }
  });
  server.on('error', error => {
    fail(error.code === 'EADDRINUSE' ? `port ${port} is in use: choose another with --port` : error.message);
  });
  server.listen(Number(port), HOST, () => {
    console.log(JSON.stringify({ url: `http://${HOST}:${server.address().port}${PATH}` }));
  });

  const stop = () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // If a parent process started the server with an IPC channel, the server stops when the parent ends, even if the parent was killed.
  process.on('disconnect', stop);
}

/** A web page must not reach this server through the browser of the person who runs it (DNS rebinding). */
function isLocal({ headers }) {
  const { host, origin } = headers;
  const names = [`http://${host}`, ...(origin === undefined ? [] : [origin])].map(text => URL.parse(text)?.hostname);
  return names.every(name => LOCAL_NAMES.has(name));
}

function respond(res, status, message) {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: message }));
}

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(2);
}
