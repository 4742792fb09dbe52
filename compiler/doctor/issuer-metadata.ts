/** Third hop: the issuer publishes the addresses of its endpoints (RFC 8414, OpenID Connect Discovery 1.0). */
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import {
  type Document,
  type DocumentLookup,
  isSafeUrl,
  readDocument,
  readFirst,
  readText,
  readTexts,
} from './documents.ts';
import type { HttpClient } from './http.ts';
import { redactUrlText } from './redact-url-text.ts';
import { type AuthProblem, type ExaminedHop, summarizeHop } from './report.ts';
import type { ResourceFound } from './resource-metadata.ts';

export interface IssuerFound {
  readonly document: Document;
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: URL;
}

const RFC = 'RFC 8414';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

export async function examineIssuerMetadata(
  { issuer, issuerText }: ResourceFound,
  http: HttpClient,
): Promise<ExaminedHop<IssuerFound>> {
  const found = await readFirst(listMetadataUrls(issuer), http);
  const last = found.at(-1) as DocumentLookup;
  if (last.kind !== 'document') {
    const problem = (await findMisplaced(issuer, http)) ?? createNoDocumentProblem(found);
    return { hop: summarizeHop('issuer metadata', 'no document', [problem]), value: undefined };
  }
  return readMetadata(issuerText, last.at, last.document);
}

/** The locations that clients try, in order. The issuer's path comes after the well-known path; OpenID Connect also allows it before. */
function listMetadataUrls({ origin, pathname }: URL): readonly URL[] {
  const path = pathname.replace(/\/$/, '');
  const paths = path === '' ? [OAUTH, OPENID] : [`${OAUTH}${path}`, `${OPENID}${path}`, `${path}${OPENID}`];
  return paths.map(wellKnownPath => new URL(wellKnownPath, origin));
}

function createNoDocumentProblem(found: readonly DocumentLookup[]): AuthProblem {
  const unusable = found.some(({ kind }) => kind === 'unusable');
  return {
    id: unusable ? 'issuer-metadata-unusable' : 'issuer-metadata-missing',
    isBreaking: true,
    what: found.map(lookup => (lookup.kind === 'document' ? '' : lookup.what)).join('; '),
    advice:
      'check that "authorization_servers" names the issuer exactly, and let /.well-known of its host through the proxy',
    reference: `${RFC}, section 3`,
  };
}

/** A document at a location where operators often put it, but where clients do not look. */
async function findMisplaced({ origin, pathname }: URL, http: HttpClient): Promise<AuthProblem | undefined> {
  const path = pathname.replace(/\/$/, '');
  if (path === '') return undefined;
  for (const wellKnownPath of [`${path}${OAUTH}`, OAUTH, OPENID]) {
    const found = await readDocument(new URL(wellKnownPath, origin), http);
    if (found.kind !== 'document' || readText(found.document, 'issuer') === undefined) continue;
    const issuer = readText(found.document, 'issuer') ?? '';
    return {
      id: 'issuer-metadata-misplaced',
      isBreaking: true,
      what: `there is metadata at ${redactUrl(found.at.href)}, of issuer ${redactUrlText(issuer)}, and clients look at ${OAUTH}${path}`,
      advice: `serve it at ${origin}${OAUTH}${path}: the path of an issuer goes behind the well-known path`,
      reference: `${RFC}, section 3.1`,
    };
  }
  return undefined;
}

function readMetadata(issuerText: string, at: URL, document: Document): ExaminedHop<IssuerFound> {
  const shown = redactUrl(at.href);
  const issuer = readText(document, 'issuer');
  const problems: AuthProblem[] = [];
  if (issuer === undefined || issuer !== issuerText) problems.push(createIssuerProblem(issuer, issuerText));
  const authorization = readEndpoint(document, 'authorization_endpoint', problems);
  const token = readEndpoint(document, 'token_endpoint', problems);
  const types = readTexts(document, 'response_types_supported');
  if (types?.includes('code') !== true)
    problems.push({
      id: 'no-code',
      // The RFC requires the list, but clients also work without it. If the list exists, they rely on it.
      isBreaking: types !== undefined,
      what: `"response_types_supported" ${types === undefined ? 'is missing' : 'leaves out "code"'}: clients know no other way to sign people in`,
      advice: 'add "response_types_supported": ["code"]',
      reference: `${RFC}, section 2`,
    });
  const grants = readTexts(document, 'grant_types_supported');
  if (grants !== undefined && !grants.includes('authorization_code'))
    problems.push({
      id: 'no-authorization-code',
      isBreaking: true,
      what: '"grant_types_supported" leaves out "authorization_code": codes cannot be redeemed',
      advice: 'add "authorization_code", or leave the list out',
      reference: `${RFC}, section 2`,
    });
  const isWhole = authorization !== undefined && token !== undefined;
  return {
    hop: summarizeHop('issuer metadata', `${shown} of ${redactUrlText(issuer ?? issuerText)}`, problems),
    value: isWhole ? { document, authorizationEndpoint: authorization, tokenEndpoint: token } : undefined,
  };
}

function createIssuerProblem(issuer: string | undefined, expected: string): AuthProblem {
  const isSlash = issuer?.replace(/\/$/, '') === expected.replace(/\/$/, '');
  return {
    id: issuer === undefined ? 'issuer-missing' : 'issuer-differs',
    isBreaking: true,
    what:
      issuer === undefined
        ? 'the document has no "issuer"'
        : `the document is of issuer ${redactUrlText(issuer)}, and "authorization_servers" names ${redactUrlText(expected)}${isSlash ? ': a slash at the end makes two issuers' : ''}`,
    advice: 'write the same text in both, byte for byte: clients refuse the document of another issuer',
    reference: `${RFC}, section 3.3`,
  };
}

function readEndpoint(document: Document, member: string, problems: AuthProblem[]): URL | undefined {
  const text = readText(document, member);
  const url = text === undefined ? null : URL.parse(text);
  const reference = `${RFC}, section 2`;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    problems.push({
      id: `${member.replace('_endpoint', '')}-endpoint-invalid`,
      isBreaking: true,
      what: `"${member}" is ${text === undefined ? 'missing' : 'no absolute http or https URL'}`,
      advice: 'write the whole URL, with scheme and host, as clients and browsers reach it',
      reference,
    });
    return undefined;
  }
  if (!isSafeUrl(url))
    problems.push({
      id: `${member.replace('_endpoint', '')}-endpoint-insecure`,
      isBreaking: false,
      what: `"${member}" is ${redactUrl(url.href)}: codes and tokens would go unencrypted`,
      advice: 'use https; http is for this machine alone',
      reference: 'RFC 6749, section 3.1',
    });
  return url;
}
