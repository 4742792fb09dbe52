/** A proxy that sends each request to the next replica in turn, like a load balancer without sticky sessions. */
import { createServer, request } from 'node:http';

/**
 * @param {{ name: string, url: string }[]} replicas may change while it runs
 * @param {(name: string, method: string) => void} onRequest
 * @returns {Promise<string>} the URL of the MCP endpoint at the proxy
 */
export async function startProxy(replicas, onRequest) {
  let next = 0;
  const forward = (req, res, body, tries) => {
    const { name, url } = replicas[next++ % replicas.length];
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const onward = request(url, { method: req.method, headers, agent: false }, answer => {
      onRequest(name, req.method);
      res.writeHead(answer.statusCode, answer.headers);
      res.flushHeaders();
      answer.on('error', () => res.destroy());
      answer.pipe(res);
    });
    onward.on('error', error => {
      // If the connection to a replica is refused, the replica got nothing of the request, so the next replica can handle the request.
      if (error.code === 'ECONNREFUSED' && tries < replicas.length) forward(req, res, body, tries + 1);
      else if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    });
    res.on('close', () => onward.destroy());
    onward.end(body);
  };
  const server = createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    forward(req, res, Buffer.concat(chunks), 1);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}/mcp`;
}
