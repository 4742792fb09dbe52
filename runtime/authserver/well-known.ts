/** The documents that any client may fetch, answered without fastify: clients fetch them whenever they start. */
import type { ServerResponse } from 'node:http';
import { AUTH_SERVER_PATHS, type AuthServerPlan } from '#schemas';
import { type MetadataDocuments, metadataPaths } from './documents.ts';

/** How long clients may keep documents; seconds. */
export const DOCUMENT_SECONDS = 3600;

export const OPEN_TO_ALL = { 'Access-Control-Allow-Origin': '*' };

/** The texts of now. */
export interface PublicTexts {
  readonly documents: MetadataDocuments;
  readonly keySet: string;
}

type Choice = (texts: PublicTexts) => string;

const METADATA: readonly (readonly [name: string, choice: Choice])[] = [
  ['oauth-authorization-server', ({ documents }) => documents.oauth],
  ['openid-configuration', ({ documents }) => documents.openid],
];

/** Metadata is below these as well, whatever follows. */
export const METADATA_BELOW: readonly string[] = METADATA.map(([name]) => `/.well-known/${name}/`);

/** Which text is at a path. */
export function publicPaths(plan: AuthServerPlan): ReadonlyMap<string, Choice> {
  const jwks = `${new URL(plan.issuer).pathname.replace(/\/$/, '')}${AUTH_SERVER_PATHS.jwks}`;
  const metadata = METADATA.flatMap(([name, choice]) =>
    metadataPaths(plan.issuer, name).map((path): [string, Choice] => [path, choice]),
  );
  return new Map<string, Choice>([[jwks, ({ keySet }) => keySet], ...metadata]);
}

export function choiceBelow(path: string): Choice | undefined {
  return METADATA[METADATA_BELOW.findIndex(prefix => path.startsWith(prefix))]?.[1];
}

export function respondDocument(res: ServerResponse, text: string): void {
  res.writeHead(200, {
    ...OPEN_TO_ALL,
    'Content-Type': 'application/json',
    'Cache-Control': `public, max-age=${DOCUMENT_SECONDS}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}
