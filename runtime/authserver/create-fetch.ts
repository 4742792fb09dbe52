import type { OutgoingClient } from './host.ts';

/** The `fetch` interface that `oauth4webapi` and `jose` use. */
export type OAuthFetch = (
  url: string,
  options: { readonly method: string; readonly headers: Headers | Record<string, string>; readonly body?: unknown },
) => Promise<Response>;

/** Lets libraries send requests through the runtime's HTTP client, with its address rules and limits. */
export function createFetch(client: OutgoingClient): OAuthFetch {
  return async (url, { method, headers, body }) => {
    const answer = await client.request({
      method: method === 'POST' ? 'POST' : 'GET',
      url: new URL(url),
      headers: headers instanceof Headers ? Object.fromEntries(headers) : headers,
      ...(body === undefined ? {} : { body: String(body) }),
    });
    const { status, headers: answered, body: text } = answer;
    return new Response(status === 204 || status === 205 || status === 304 ? null : text, {
      status,
      headers: Object.entries(answered).flatMap(([name, value]) =>
        [value ?? []].flat().map((element): [string, string] => [name, element as string]),
      ),
    });
  };
}
