/** Second hop: the server publishes which issuers it accepts tokens from (RFC 9728). */
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import type { ChallengeFound } from './challenge.ts';
import { type Document, type DocumentLookup, isSafeUrl, readFirst, readText, readTexts } from './documents.ts';
import type { HttpClient } from './http.ts';
import { redactUrlText } from './redact-url-text.ts';
import { type AuthProblem, type ExaminedHop, summarizeHop } from './report.ts';

export interface ResourceFound {
  readonly issuer: URL;
  /** Exactly as written, because the issuer's own document has to repeat it. */
  readonly issuerText: string;
  /** The resource to request tokens for; undefined when no document states it. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
}

const RFC = 'RFC 9728';

export async function examineResourceMetadata(
  url: URL,
  { metadataUrl }: ChallengeFound,
  http: HttpClient,
): Promise<ExaminedHop<ResourceFound>> {
  const found = await readFirst(metadataUrl === undefined ? listUsualPlaces(url) : [metadataUrl], http);
  const last = found.at(-1) as DocumentLookup;
  if (last.kind !== 'document') {
    const problem = createNoDocumentProblem(found, metadataUrl);
    // The 2025-03-26 revision of MCP defined this default, and clients still use it.
    const issuer = new URL(url.origin);
    const value = { issuer, issuerText: url.origin, resource: undefined, scopes: [] };
    return { hop: summarizeHop('resource metadata', 'no document', [problem]), value };
  }
  return readMetadata(url, last.at, last.document);
}

/** The locations that clients try, in order. */
function listUsualPlaces(url: URL): readonly URL[] {
  const wellKnown = '/.well-known/oauth-protected-resource';
  const path = url.pathname.replace(/\/$/, '');
  return [...new Set([`${wellKnown}${path}`, wellKnown])].map(wellKnownPath => new URL(wellKnownPath, url.origin));
}

function createNoDocumentProblem(found: readonly DocumentLookup[], metadataUrl: URL | undefined): AuthProblem {
  const unusable = found.find(({ kind }) => kind === 'unusable');
  const what = found.map(lookup => (lookup.kind === 'document' ? '' : lookup.what)).join('; ');
  return {
    id: unusable === undefined ? 'resource-metadata-missing' : 'resource-metadata-unusable',
    isBreaking: true,
    what,
    advice:
      metadataUrl === undefined
        ? 'publish the metadata of the protected resource there, and let /.well-known through the proxy'
        : 'publish the metadata where the WWW-Authenticate header says, and let /.well-known through the proxy',
    reference: `${RFC}, section 3.1`,
  };
}

function readMetadata(url: URL, at: URL, document: Document): ExaminedHop<ResourceFound> {
  const shown = redactUrl(at.href);
  const problems: AuthProblem[] = [];
  const resource = readText(document, 'resource');
  const servers = readTexts(document, 'authorization_servers') ?? [];
  const [issuerText] = servers;
  if (resource === undefined)
    problems.push({
      id: 'resource-missing',
      isBreaking: true,
      what: 'the document has no "resource": clients cannot tell whether it is about this server',
      advice: `add "resource": ${JSON.stringify(redactUrl(url.href))}`,
      reference: `${RFC}, section 2`,
    });
  else if (!covers(resource, url))
    problems.push({
      id: 'resource-differs',
      isBreaking: true,
      what: `the document is about ${redactUrlText(resource)}, and not about ${redactUrl(url.href)}: clients refuse it`,
      advice:
        'give clients the URL that the document names, or let the document name the URL that they use (resourceUrl of a gateway); scheme, host and port have to be the same, and the path may only be longer',
      reference: `${RFC}, section 3.3`,
    });
  if (issuerText === undefined)
    problems.push({
      id: 'no-authorization-server',
      isBreaking: true,
      what: 'the document names no authorization server: clients do not know where to sign in',
      advice: 'list the issuer in "authorization_servers"',
      reference: 'MCP 2025-11-25, Authorization Server Location',
    });
  const issuer = issuerText === undefined ? null : URL.parse(issuerText);
  if (issuerText !== undefined) problems.push(...listIssuerProblems(issuer));
  const methods = readTexts(document, 'bearer_methods_supported');
  if (methods !== undefined && !methods.includes('header'))
    problems.push({
      id: 'no-header-tokens',
      isBreaking: true,
      what: '"bearer_methods_supported" leaves out "header", the only way by which MCP clients send tokens',
      advice: 'add "header", or leave the list out',
      reference: 'RFC 6750, section 2.1',
    });
  const more = servers.length > 1 ? ` (the first of ${servers.length} is examined, as most clients do)` : '';
  const seen =
    issuerText === undefined ? shown : `${shown} names ${redactUrlText(issuerText)} as authorization server${more}`;
  const isKnown = issuer !== null && issuerText !== undefined && /^https?:$/.test(issuer.protocol);
  return {
    hop: summarizeHop('resource metadata', seen, problems),
    value: isKnown
      ? { issuer, issuerText, resource, scopes: readTexts(document, 'scopes_supported') ?? [] }
      : undefined,
  };
}

function listIssuerProblems(issuer: URL | null): readonly AuthProblem[] {
  const reference = 'RFC 8414, section 2';
  if (issuer === null || !/^https?:$/.test(issuer.protocol))
    return [
      {
        id: 'authorization-server-invalid',
        isBreaking: true,
        what: 'the first of "authorization_servers" is no absolute http or https URL',
        advice: 'write the issuer as its own metadata has it, such as https://login.example.com',
        reference,
      },
    ];
  if (isSafeUrl(issuer)) return [];
  return [
    {
      id: 'authorization-server-insecure',
      isBreaking: false,
      what: `the authorization server is ${redactUrl(issuer.href)}: passwords and tokens would go unencrypted`,
      advice: 'use https; http is for this machine alone',
      reference,
    },
  ];
}

/** Compares as the official SDK does: the same origin, and a path that begins with the resource's. */
function covers(resource: string, url: URL): boolean {
  const named = URL.parse(resource);
  if (named === null || named.origin !== url.origin) return false;
  const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);
  return withSlash(url.pathname).startsWith(withSlash(named.pathname));
}
