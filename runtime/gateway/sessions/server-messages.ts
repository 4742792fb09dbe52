import type { Envelope } from '../../mcp/envelope.ts';
import type { BackendListener, BackendSession } from '../backends/backend.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { announcesChange } from '../offers/offered-items.ts';
import type { GatewaySession } from './client-session.ts';

/** A backend's unsolicited messages for a client in its session: notifications, and its own requests. */
export class ServerMessages implements BackendListener {
  private readonly _session: GatewaySession;
  private readonly _connection: BackendConnection;
  private readonly _backend: BackendSession;

  constructor(session: GatewaySession, connection: BackendConnection, backend: BackendSession) {
    this._session = session;
    this._connection = connection;
    this._backend = backend;
  }

  message(notification: Envelope): void {
    if (announcesChange(notification)) this._connection.listChanged(this._session.sender);
    else this._session.passOn(this._backend, notification, json => this._session.sendFor(this._backend, json));
  }

  request(json: string, id: string, method: string): void {
    const backend = this._backend;
    const endsWith = this._session.toEnd(json, 'time');
    this._session.ask({ backend, json, id, method, endsWith }, text => this._session.sendFor(backend, text));
  }

  lost(): void {
    const backend = this._backend;
    this._session.questions.forget(backend, text => this._session.sendFor(backend, text));
  }
}
