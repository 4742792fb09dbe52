import { computeDigest, type RegistryFilterPlan, type RegistryOrigin } from '#schemas';
import { isHeaderValue } from '#shared/plan';
import type { HttpClient } from '../../http/client.ts';
import { getHeader } from '../../http/exchange.ts';
import { fetchDocument, formatFinalLocation, formatLocation } from './fetch-document.ts';
import { buildCredentialHeaders } from './http-credentials.ts';
import { MAX_SOURCE_BYTES, type Reader } from './reading.ts';
import { decodeSource, readSourceText } from './source-text.ts';

/** Identifies the state of a document: by Lintel's digest, and by the server's entity tag and date. */
interface Validators {
  readonly digest: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/**
 * Creates the reader of a source file at a URL. An unchanged file is not parsed again. Servers that support conditional requests do not even send it
 * again (RFC 9110, section 13).
 */
export function createUrlReader(
  client: HttpClient,
  origin: Omit<Extract<RegistryOrigin, { readonly type: 'url' }>, 'type'>,
  filter: RegistryFilterPlan,
): Reader {
  const url = new URL(origin.url);
  const limits = { maxBytes: MAX_SOURCE_BYTES, timeoutMs: origin.timeoutMs };
  return async (mark, signal) => {
    const known = readMark(mark);
    const request = {
      url,
      credentials: buildCredentialHeaders(origin.credentials, formatLocation(url)),
      conditions: buildConditions(known),
    };
    const { status, headers, body } = await fetchDocument(client, request, { ...limits, signal });
    if (status === 304) return { entries: undefined, mark };
    const validators: Validators = {
      digest: computeDigest(body),
      etag: getHeader(headers, 'etag') ?? null,
      lastModified: getHeader(headers, 'last-modified') ?? null,
    };
    const next = JSON.stringify(validators);
    if (validators.digest === known?.digest) return { entries: undefined, mark: next };
    const location = formatFinalLocation(url, headers);
    return { ...(await readSourceText(decodeSource(body, location), filter, location, signal)), mark: next };
  };
}

/** Parses a mark, which may come from the disk. An invalid mark counts as none; then the document is fetched again. */
function readMark(mark: string | null): Validators | undefined {
  try {
    return (mark === null ? undefined : JSON.parse(mark)) ?? undefined;
  } catch {
    return undefined;
  }
}

function buildConditions(known: Validators | undefined): Record<string, string> {
  const { etag, lastModified } = known ?? {};
  return {
    ...(isSendable(etag) ? { 'if-none-match': etag } : {}),
    ...(isSendable(lastModified) ? { 'if-modified-since': lastModified } : {}),
  };
}

function isSendable(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isHeaderValue(value);
}
