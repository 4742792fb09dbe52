import type { HttpClient } from '../http/client.ts';
import { requestText, type TextLimits } from '../http/request-text.ts';

/** What `oauth4webapi` asks of a `fetch` of one's own, for forms. */
export type OAuthFetch = (
  url: string,
  options: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: URLSearchParams;
  },
) => Promise<Response>;

/** Statuses whose answers have no body: `Response` takes none for them. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Lets `oauth4webapi` send its forms by a client of ours, within its address and trust rules and the given limits. Rejects
 * with `RequestError` where there is no complete answer.
 */
export function oauthFetch(client: HttpClient, limits: TextLimits): OAuthFetch {
  return async (url, { method, headers, body }) => {
    const request = { method, url: new URL(url), headers, body: body.toString() };
    const { status, headers: answered, body: text } = await requestText(client, request, limits);
    return new Response(BODILESS.has(status) ? null : text, {
      status,
      headers: Object.entries(answered).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    });
  };
}
