/** Sends one request and returns the complete answer as text; for documents of identity providers, and token endpoints. */
import type { HttpClient } from './client.ts';
import {
  type BytesResponse,
  RequestError,
  type ResponseLimits,
  requestBytes,
  type WholeRequest,
} from './request-bytes.ts';

export type { ResponseLimits as TextLimits } from './request-bytes.ts';
export { RequestError } from './request-bytes.ts';

export interface TextResponse extends Omit<BytesResponse, 'body'> {
  readonly body: string;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Does the same as `requestBytes` for text.
 *
 * @throws RequestError
 */
export async function requestText(
  client: HttpClient,
  request: WholeRequest,
  limits: ResponseLimits,
): Promise<TextResponse> {
  const { status, headers, body } = await requestBytes(client, request, limits);
  try {
    return { status, headers, body: UTF8.decode(body) };
  } catch {
    throw new RequestError('not_utf8', request.url, 'the answer is not UTF-8');
  }
}
