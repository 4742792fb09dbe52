import type { Envelope, Span } from '../envelope.ts';
import { CHAR } from '../json-scan.ts';
import { isLogLevel } from '../log-levels.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';
import type { StatelessCaller } from './handler.ts';

/**
 * What a request says about its sender.
 * @throws WireError -32602 when something required is missing or of the wrong type.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function readCaller(envelope: Envelope): StatelessCaller {
  const { meta } = envelope;
  if (meta?.protocolVersion === undefined) throw invalid('protocolVersion', 'is required and must be a string');
  const { protocolVersion, clientCapabilities, clientInfo } = meta;
  if (clientCapabilities === undefined || !isObject(envelope, clientCapabilities)) {
    throw invalid('clientCapabilities', 'is required and must be an object');
  }
  if (clientInfo !== undefined && !isObject(envelope, clientInfo)) throw invalid('clientInfo', 'must be an object');
  const logLevel = meta.logLevel === undefined ? undefined : envelope.valueAt(meta.logLevel);
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalid('logLevel', 'must be one of the eight levels');
  return new Caller(envelope, {
    protocolVersion: protocolVersion.value,
    clientCapabilities,
    clientInfo,
    logLevel,
  });
}

interface CallerMembers {
  readonly protocolVersion: string;
  readonly clientCapabilities: Span;
  readonly clientInfo: Span | undefined;
  readonly logLevel: string | undefined;
}

type JsonObject = { readonly [name: string]: unknown };

/** Most requests never ask for the objects, so they are parsed when somebody does. */
class Caller implements StatelessCaller {
  readonly protocolVersion: string;
  readonly logLevel: string | undefined;
  private readonly _envelope: Envelope;
  private readonly _members: CallerMembers;
  private _capabilities: JsonObject | undefined;

  constructor(envelope: Envelope, members: CallerMembers) {
    this.protocolVersion = members.protocolVersion;
    this.logLevel = members.logLevel;
    this._envelope = envelope;
    this._members = members;
  }

  get capabilitiesText(): string {
    const { start, end } = this._members.clientCapabilities;
    return this._envelope.text.slice(start, end);
  }

  get capabilities(): JsonObject {
    this._capabilities ??= this._envelope.valueAt(this._members.clientCapabilities) as JsonObject;
    return this._capabilities;
  }

  get clientInfo(): JsonObject | undefined {
    const { clientInfo } = this._members;
    return clientInfo === undefined ? undefined : (this._envelope.valueAt(clientInfo) as JsonObject);
  }
}

function isObject({ text }: Envelope, span: Span): boolean {
  return text.charCodeAt(span.start) === CHAR.openBrace;
}

function invalid(name: string, what: string): WireError {
  return new WireError(WIRE_CODE.invalidParams, `params._meta["io.modelcontextprotocol/${name}"] ${what}`);
}
