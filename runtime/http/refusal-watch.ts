/** Observes the refused requests of an HTTP client, for commands that show a person the reason. */
import type { HttpClient, RequestSender } from './client.ts';
import { withSenders } from './with-senders.ts';

/** Maximum length of a displayed challenge, in UTF-16 code units: a server could fill a screen with a longer header. */
const MAX_CHALLENGE = 4_096;

/**
 * Returns the client with an observer.
 *
 * @param onRefusal called with the `WWW-Authenticate` header of each answer 400, 401 and 403 that has one (RFC 6750, section 3)
 */
export function watchRefusals(client: HttpClient, onRefusal: (challenge: string) => void): HttpClient {
  const sender = (via: RequestSender): RequestSender => ({
    dispatch: (options, handler) =>
      via.dispatch(options, {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStart: (controller, status, headers, statusMessage) => {
          const challenge = [headers['www-authenticate'] ?? []].flat().join(', ');
          if ([400, 401, 403].includes(status) && challenge !== '') onRefusal(challenge.slice(0, MAX_CHALLENGE));
          handler.onResponseStart?.(controller, status, headers, statusMessage);
        },
        onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
        onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      }),
  });
  return withSenders(client, sender);
}
