import type { HttpClient } from '../http/client.ts';
import { requestText, type TextLimits } from '../http/request-text.ts';

/** The `fetch` interface that `oauth4webapi` uses for forms. */
export type OAuthFetch = (
  url: string,
  options: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: URLSearchParams;
  },
) => Promise<Response>;

/** Statuses without a body, for which `Response` refuses one. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Lets `oauth4webapi` send forms through the runtime's HTTP client, with the client's address and trust rules and the given limits. Rejects with
 * `RequestError` if there is no complete response.
 */
export function createOAuthFetch(client: HttpClient, limits: TextLimits): OAuthFetch {
  return async (url, { method, headers, body }) => {
    const request = { method, url: new URL(url), headers, body: body.toString() };
    const { status, headers: answered, body: text } = await requestText(client, request, limits);
    return new Response(BODILESS.has(status) ? null : text, {
      status,
      headers: Object.entries(answered).flatMap(([name, value]) =>
        [value ?? []].flat().map((element): [string, string] => [name, element]),
      ),
    });
  };
}
