import type { HttpClient, RequestSender } from './client.ts';

/** The same client with a layer on top of each sender. Only the owner of the client closes it. */
export function withSenders(client: HttpClient, sender: (via: RequestSender) => RequestSender): HttpClient {
  return {
    maxResponseBytes: client.maxResponseBytes,
    requests: sender(client.requests),
    calls: sender(client.calls),
    turns: client.turns,
    texts: client.texts,
    streams: sender(client.streams),
    messages: sender(client.messages),
    notices: sender(client.notices),
    close: async () => {},
  };
}
