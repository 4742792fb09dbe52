/** The public documents: metadata and keys. They are served without fastify, because each client fetches them when it starts. */
import type { ServerResponse } from 'node:http';
import { AUTH_SERVER_PATHS, type AuthServerPlan } from '#schemas';
import { listMetadataPaths } from './documents.ts';

/** How long clients may keep documents; seconds. */
export const DOCUMENT_SECONDS = 3600;

export const OPEN_TO_ALL = { 'Access-Control-Allow-Origin': '*' };

/** A document with precomputed headers: clients fetch it far more often than it changes. */
export interface PreparedDocument {
  /** Names and values alternate. */
  readonly head: string[];
  readonly text: string;
  /** The encoding for Node: `latin1` if the text has only ASCII characters, because Node writes it faster. */
  readonly encoding: 'latin1' | 'utf8';
}

/** The current documents. */
export interface PublicDocuments {
  readonly oauth: PreparedDocument;
  readonly openid: PreparedDocument;
  readonly keySet: PreparedDocument;
}

const METADATA = [
  ['oauth-authorization-server', 'oauth'],
  ['openid-configuration', 'openid'],
] as const;

/** The beginnings of metadata paths that end with the path of an issuer. */
export const METADATA_BELOW: readonly string[] = METADATA.map(([name]) => `/.well-known/${name}/`);

/** The document at a path. */
export function mapPublicPaths(plan: AuthServerPlan): ReadonlyMap<string, keyof PublicDocuments> {
  const jwks = `${new URL(plan.issuer).pathname.replace(/\/$/, '')}${AUTH_SERVER_PATHS.jwks}`;
  const metadata = METADATA.flatMap(([name, document]) =>
    listMetadataPaths(plan.issuer, name).map(path => [path, document] as const),
  );
  return new Map<string, keyof PublicDocuments>([[jwks, 'keySet'], ...metadata]);
}

export function findDocumentBelow(path: string): keyof PublicDocuments | undefined {
  return METADATA[METADATA_BELOW.findIndex(prefix => path.startsWith(prefix))]?.[1];
}

export function prepareDocument(text: string): PreparedDocument {
  const length = Buffer.byteLength(text);
  const headers = {
    ...OPEN_TO_ALL,
    'Content-Type': 'application/json',
    'Cache-Control': `public, max-age=${DOCUMENT_SECONDS}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': String(length),
  };
  return { head: Object.entries(headers).flat(), text, encoding: length === text.length ? 'latin1' : 'utf8' };
}

export function respondDocument(res: ServerResponse, { head, text, encoding }: PreparedDocument): void {
  res.writeHead(200, head);
  res.end(text, encoding);
}
