/** Raw backends that answer `server/discover` as a test says, for tests of how the gateway finds out a backend's era. */
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import { type RawHandler, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { type Edge, planFor } from './harness.ts';
import { answerTo } from './raw-peer.ts';

/** A server that answers `server/discover` with `discover`, and GET with `get`, and also serves sessions. */
export const createRawConnector =
  (edge: Edge) => async (discover: RawHandler, get?: RawHandler, timeoutMs?: number) => {
    const sessions = withHandshake((request, response) => sendJson(response, answerTo(request, '{}')), 's-1');
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.message?.method === 'server/discover') return discover(request, response);
        return request.method === 'GET' && get !== undefined ? get(request, response) : sessions(request, response);
      }),
    );
    const era = new BackendEra();
    const open = () => edge.session(planFor(server.origin, 'streamable-http', timeoutMs), edge.client(), { era });
    const count = (method: string) => server.requests.filter(({ message }) => message?.method === method).length;
    return { server, era, open, count };
  };

export const error = (code: number, data?: unknown, id?: unknown): RawHandler => {
  return (request, response) => {
    const body = {
      jsonrpc: '2.0',
      id: id === undefined ? request.message.id : id,
      error: { code, message: 'no', data },
    };
    sendJson(response, JSON.stringify(body), {}, 400);
  };
};
export const result = (value: object): RawHandler => {
  return (request, response) => sendJson(response, answerTo(request, JSON.stringify(value)));
};
export const status = (code: number, body = ''): RawHandler => {
  return (_request, response) => void response.writeHead(code, { 'content-type': 'text/html' }).end(body);
};
