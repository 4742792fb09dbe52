import { MAX_TRAITS_LENGTH } from '../client-limits.ts';
import type { Envelope, RequestMeta } from '../envelope.ts';
import { isLogLevel } from '../log-levels.ts';
import { LONGEST_META } from '../recent-metas.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';
import type { StatelessCaller } from './handler.ts';

/**
 * The sender's description of itself in a request.
 * @throws WireError -32602 when a required member is missing or has the wrong type.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function readCaller({ meta }: Envelope): StatelessCaller {
  const content = meta?.content;
  if (content?.protocolVersion === undefined)
    throw createInvalid('protocolVersion', 'is required and must be a string');
  const { protocolVersion, clientCapabilities, clientInfo } = content;
  if (clientCapabilities === undefined || !isObject(clientCapabilities)) {
    throw createInvalid('clientCapabilities', 'is required and must be an object');
  }
  if (clientInfo !== undefined && !isObject(clientInfo)) throw createInvalid('clientInfo', 'must be an object');
  if (content.text.length > LONGEST_META) checkLengths(clientCapabilities, clientInfo);
  const logLevel = content.logLevel === undefined ? undefined : JSON.parse(content.logLevel);
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw createInvalid('logLevel', 'must be one of the eight levels');
  return new Caller(protocolVersion, clientCapabilities, logLevel, content);
}

type JsonObject = { readonly [name: string]: unknown };

/** Most requests never use the objects, so they are parsed on first access. */
class Caller implements StatelessCaller {
  readonly protocolVersion: string;
  readonly capabilitiesText: string;
  readonly logLevel: string | undefined;
  private readonly _content: RequestMeta;
  private _capabilities: JsonObject | undefined;

  constructor(protocolVersion: string, capabilitiesText: string, logLevel: string | undefined, content: RequestMeta) {
    this.protocolVersion = protocolVersion;
    this.capabilitiesText = capabilitiesText;
    this.logLevel = logLevel;
    this._content = content;
  }

  get capabilities(): JsonObject {
    this._capabilities ??= JSON.parse(this.capabilitiesText) as JsonObject;
    return this._capabilities;
  }

  get clientInfo(): JsonObject | undefined {
    const { clientInfo } = this._content;
    return clientInfo === undefined ? undefined : (JSON.parse(clientInfo) as JsonObject);
  }
}

/** Not called for each request: most repeat recently checked values. */
function checkLengths(clientCapabilities: string, clientInfo = ''): void {
  const what = `must not be longer than ${MAX_TRAITS_LENGTH} characters`;
  if (clientCapabilities.length > MAX_TRAITS_LENGTH) throw createInvalid('clientCapabilities', what);
  if (clientInfo.length > MAX_TRAITS_LENGTH) throw createInvalid('clientInfo', what);
}

function isObject(json: string): boolean {
  return json.startsWith('{');
}

function createInvalid(name: string, what: string): WireError {
  return new WireError(WIRE_CODE.invalidParams, `params._meta["io.modelcontextprotocol/${name}"] ${what}`);
}
