/** `/health` for probes of whether the bridge runs. It has an address of its own because the servers listen on loopback. */
import type { RequestListener } from 'node:http';

export const health: RequestListener = (req, res) => {
  const isKnown = req.url === '/health';
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  res
    .writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    .end(isKnown ? '{"status":"ok"}\n' : '{"error":"only /health is served here"}\n');
};
