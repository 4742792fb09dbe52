/** Fifth hop: how a client becomes known: by its metadata document, by dynamic registration, or manually. */
import { randomBytes } from 'node:crypto';
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { type Document, readText, readTexts } from './documents.ts';
import { type HttpClient, type HttpResponse, NoResponseError } from './http.ts';
import type { IssuerFound } from './issuer-metadata.ts';
import { type AuthProblem, type ExaminedHop, summarizeHop } from './report.ts';

export interface RegistrationOptions {
  /** Whether to register a client, to verify that registration works. */
  readonly registers: boolean;
  /** A client that was registered manually. */
  readonly clientId: string | undefined;
}

/** A registered client; the rest of the answer is discarded. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Deletes the registration if the server supports it (RFC 7592). */
  end(): Promise<void>;
}

const MCP = 'MCP 2025-11-25, Client Registration Approaches';
const RFC = 'RFC 7591';

/** No program listens at this address: the sign-ins of `lintel doctor auth` are never finished, so no code is sent to it. */
const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** Maximum number of characters of a server's text that is shown. */
const MAX_WORDS = 200;

export async function examineRegistration(
  { document }: IssuerFound,
  http: HttpClient,
  { registers, clientId }: RegistrationOptions,
): Promise<ExaminedHop<RegisteredClient>> {
  const hasDocuments = document.client_id_metadata_document_supported === true;
  const text = readText(document, 'registration_endpoint');
  const endpoint = text === undefined ? null : URL.parse(text);
  const problems: AuthProblem[] = [];
  if (text !== undefined && (endpoint === null || !/^https?:$/.test(endpoint.protocol)))
    problems.push({
      id: 'registration-endpoint-invalid',
      isBreaking: !hasDocuments && clientId === undefined,
      what: '"registration_endpoint" is no absolute http or https URL',
      advice: 'write the whole URL, with scheme and host, as clients reach it',
      reference: `${RFC}, section 3`,
    });
  const methods = readTexts(document, 'token_endpoint_auth_methods_supported');
  if (endpoint !== null && methods !== undefined && !methods.includes('none'))
    problems.push({
      id: 'no-public-clients',
      isBreaking: false,
      what: '"token_endpoint_auth_methods_supported" leaves out "none": clients on people\'s machines cannot keep a secret',
      advice: 'let public clients in with PKCE, and add "none"',
      reference: 'RFC 8252, section 8.4',
    });
  const ways = [
    ...(hasDocuments ? ['metadata documents of clients'] : []),
    ...(endpoint === null ? [] : [`registration at ${redactUrl(endpoint.href)}`]),
    ...(clientId === undefined ? [] : ['a client that was registered by hand']),
  ];
  if (ways.length === 0 && problems.length === 0)
    return { hop: summarizeHop('registration', 'no way to register', [createNoWayProblem()]), value: undefined };
  const seen = ways.length === 0 ? 'no usable endpoint' : ways.join(', ');
  if (!registers || endpoint === null || problems.some(({ isBreaking }) => isBreaking))
    return { hop: summarizeHop('registration', seen, problems), value: undefined };
  const { client, problem } = await register(endpoint, http);
  if (problem !== undefined) problems.push(problem);
  return { hop: summarizeHop('registration', client === undefined ? seen : `${seen}: works`, problems), value: client };
}

function createNoWayProblem(): AuthProblem {
  return {
    id: 'no-registration',
    isBreaking: true,
    what: 'the authorization server takes neither metadata documents of clients nor registrations',
    advice:
      'turn one of them on; or register the client by hand, give its client_id to the people who use it, and examine with --client-id',
    reference: MCP,
  };
}

async function register(
  endpoint: URL,
  http: HttpClient,
): Promise<{ readonly client?: RegisteredClient; readonly problem?: AuthProblem }> {
  try {
    const answer = await http.send(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'lintel doctor',
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        software_id: `lintel-doctor-${randomBytes(4).toString('hex')}`,
      }),
    });
    const document = parseDocument(answer);
    const clientId = readText(document, 'client_id');
    if (answer.status < 200 || answer.status > 299 || clientId === undefined)
      return { problem: createRefusedProblem(endpoint, answer, document) };
    const client = { clientId, redirectUri: REDIRECT_URI, end: () => endRegistration(document, http) };
    const problem = redirectProblem(readTexts(document, 'redirect_uris'));
    return problem === undefined ? { client } : { client, problem };
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    return {
      problem: {
        id: 'registration-unreachable',
        isBreaking: true,
        what: error.message,
        advice: 'check "registration_endpoint" in the metadata of the issuer, and that the proxy lets its path through',
        reference: `${RFC}, section 3`,
      },
    };
  }
}

function parseDocument({ text }: HttpResponse): Document {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Document) : {};
  } catch {
    return {};
  }
}

function createRefusedProblem(endpoint: URL, { status }: HttpResponse, document: Document): AuthProblem {
  const code = readText(document, 'error');
  const words = readText(document, 'error_description');
  const texts = [code, words].filter(text => text !== undefined).map(formatWords);
  const isClosed = status === 401 || status === 403;
  return {
    id: isClosed ? 'registration-closed' : 'registration-refused',
    isBreaking: true,
    what: `registration at ${redactUrl(endpoint.href)} answers HTTP ${status}${texts.length === 0 ? '' : `: ${texts.join(', ')}`}`,
    advice: isClosed
      ? 'clients have no initial access token: let them register without one, or register the client by hand'
      : status === 429
        ? 'wait, and try again'
        : 'let public clients with loopback redirect URIs (RFC 8252) register, and answer 201 with a client_id',
    reference: `${RFC}, section 3.2`,
  };
}

function redirectProblem(registered: readonly string[] | undefined): AuthProblem | undefined {
  if (registered === undefined || registered.includes(REDIRECT_URI)) return undefined;
  return {
    id: 'redirect-uri-changed',
    isBreaking: true,
    what: 'the redirect URI that was registered is not the one that was sent',
    advice: 'keep redirect URIs as they are sent: clients use what they sent',
    reference: `${RFC}, section 3.2.1`,
  };
}

/** A server's text, without what could be a token. */
function formatWords(text: string): string {
  return escapeUnprintable(text.slice(0, MAX_WORDS)).replace(/[\w~+/.=-]{24,}/g, '…');
}

async function endRegistration(document: Document, http: HttpClient): Promise<void> {
  const url = URL.parse(readText(document, 'registration_client_uri') ?? '');
  const token = readText(document, 'registration_access_token');
  if (url === null || token === undefined) return;
  await http.send(url, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }).catch(() => {});
}
