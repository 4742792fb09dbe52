/** First hop: the server answers a request without a token with 401 and the address of its metadata. */
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { isSafeUrl } from './documents.ts';
import { type HttpClient, type HttpResponse, NoResponseError } from './http.ts';
import { type AuthProblem, type ExaminedHop, summarizeHop } from './report.ts';
import { readChallenges } from './www-authenticate.ts';

export interface ChallengeFound {
  /** The address of the metadata according to the server; undefined when clients try the standard locations. */
  readonly metadataUrl: URL | undefined;
  /** The scopes that the server asks for in the challenge. */
  readonly scope: string | undefined;
}

const MCP = 'MCP 2025-11-25, Authorization';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'lintel-doctor', version: '1' },
  },
});

export async function examineChallenge(url: URL, http: HttpClient): Promise<ExaminedHop<ChallengeFound>> {
  let answer: HttpResponse;
  try {
    answer = await http.send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: INITIALIZE,
    });
    // HTTP+SSE, the transport before Streamable HTTP, begins with GET.
    if (answer.status === 404 || answer.status === 405) {
      const stream = await http.send(url, { headers: { accept: 'text/event-stream' } });
      if (stream.status === 401) answer = stream;
    }
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const problem = {
      id: 'unreachable-server',
      isBreaking: true,
      what: error.message,
      advice: error.message.includes('certificate')
        ? 'repair the certificate that the server sends, because clients refuse it too, unless they trust its authority'
        : 'check the URL, and that the server is running and can be reached from here',
      reference: MCP,
    };
    return { hop: summarizeHop('challenge', 'no answer', [problem]), value: undefined };
  }
  if (answer.status === 401) return readChallenge(url, answer);
  await endSession(url, answer, http);
  const problem = withoutChallenge(url, answer);
  // Some servers require a token for tool calls only, so their metadata is examined anyway.
  const goesOn = problem.id === 'open' || problem.id === 'forbidden';
  return {
    hop: summarizeHop('challenge', `HTTP ${answer.status}`, [problem]),
    value: goesOn ? { metadataUrl: undefined, scope: undefined } : undefined,
  };
}

function readChallenge(url: URL, { headers }: HttpResponse): ExaminedHop<ChallengeFound> {
  const header = headers.get('www-authenticate');
  const bearer = readChallenges(header ?? '').find(({ scheme }) => scheme === 'bearer');
  const value = bearer?.params.get('resource_metadata');
  const scope = bearer?.params.get('scope');
  const usual = { metadataUrl: undefined, scope };
  if (bearer === undefined) {
    const problem: AuthProblem = {
      id: header === null ? 'no-www-authenticate' : 'no-bearer-challenge',
      isBreaking: false,
      what: `the answer is 401 ${header === null ? 'without a WWW-Authenticate header' : 'and its WWW-Authenticate header has no Bearer challenge'}`,
      advice:
        'answer 401 with WWW-Authenticate: Bearer resource_metadata="…"; clients before 2025-11-25 know no other way to the metadata',
      reference: 'RFC 9728, section 5.1',
    };
    return { hop: summarizeHop('challenge', '401', [problem]), value: usual };
  }
  if (value === undefined)
    return {
      hop: summarizeHop('challenge', '401 and Bearer; clients look for metadata at the usual places'),
      value: usual,
    };
  const metadataUrl = URL.parse(value);
  if (metadataUrl === null || !/^https?:$/.test(metadataUrl.protocol)) {
    const problem = {
      id: 'metadata-url-invalid',
      isBreaking: true,
      what: 'resource_metadata in the WWW-Authenticate header is no absolute http or https URL',
      advice: 'write the whole URL of the metadata, with scheme and host, as clients reach it',
      reference: 'RFC 9728, section 5.1',
    };
    return { hop: summarizeHop('challenge', '401 and Bearer', [problem]), value: usual };
  }
  const problems: AuthProblem[] = [];
  if (!isSafeUrl(metadataUrl))
    problems.push({
      id: 'metadata-url-insecure',
      isBreaking: false,
      what: `resource_metadata is ${redactUrl(metadataUrl.href)}, which any host on the way can change`,
      advice: 'publish the metadata by https; behind a proxy, name the public URL (resourceUrl of a gateway)',
      reference: 'RFC 9728, section 7.1',
    });
  if (metadataUrl.host !== url.host)
    problems.push({
      id: 'metadata-elsewhere',
      isBreaking: false,
      what: `resource_metadata is at ${metadataUrl.host}, and the server was asked at ${url.host}`,
      advice: 'behind a proxy, name the public URL (resourceUrl of a gateway): clients cannot reach an inner one',
      reference: 'RFC 9728, section 3',
    });
  return {
    hop: summarizeHop('challenge', `401, with metadata at ${redactUrl(metadataUrl.href)}`, problems),
    value: { metadataUrl, scope },
  };
}

function withoutChallenge(url: URL, { status, headers }: HttpResponse): AuthProblem {
  const shown = redactUrl(url.href);
  const isBreaking = true;
  if (status >= 200 && status < 300)
    return {
      id: 'open',
      isBreaking,
      what: `${shown} answers a request without a token: nothing makes a client sign in`,
      advice: 'if callers are to sign in, demand a token (incomingAuth of a gateway); else there is nothing to do',
      reference: MCP,
    };
  if (status >= 300 && status < 400) {
    const location = URL.parse(headers.get('location') ?? '', url.href);
    return {
      id: 'redirected',
      isBreaking,
      what: `${shown} redirects${location === null ? '' : ` to ${redactUrl(location.href)}`}, and clients do not follow with POST`,
      advice: 'give clients the URL at the end of the redirect',
      reference: MCP,
    };
  }
  if (status === 403)
    return {
      id: 'forbidden',
      isBreaking,
      what: `${shown} answers 403 to a request without a token`,
      advice:
        'answer 401 where a token is missing: 403 says that signing in again is of no use; a proxy in between may answer in its place',
      reference: 'RFC 6750, section 3.1',
    };
  if (status === 404 || status === 405)
    return {
      id: 'no-mcp',
      isBreaking,
      what: `${shown} answers HTTP ${status}: no MCP server is at this path`,
      advice: 'check the path: a gateway serves /mcp',
      reference: 'MCP 2025-11-25, Transports',
    };
  if (status >= 500)
    return {
      id: 'failing',
      isBreaking,
      what: `${shown} answers HTTP ${status}`,
      advice: 'look into the log of the server, or of the proxy in front of it',
      reference: MCP,
    };
  return {
    id: 'no-challenge',
    isBreaking,
    what: `${shown} answers HTTP ${status} to a request without a token`,
    advice: 'answer 401 with WWW-Authenticate: Bearer before anything else of the request is looked at',
    reference: 'RFC 6750, section 3',
  };
}

/** Ends the session that a server has opened if it accepted the request without a token. */
async function endSession(url: URL, { headers }: HttpResponse, http: HttpClient): Promise<void> {
  const session = headers.get('mcp-session-id');
  if (session === null) return;
  await http.send(url, { method: 'DELETE', headers: { 'mcp-session-id': session } }).catch(() => {});
}
