import { count, httpUrl, milliseconds, nullable, oneOf, optional, type Shape, string } from './checks.ts';
import { headerName, headerValue, SECRET } from './outgoing-shape.ts';

const between = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most ? undefined : `is not a number from ${least} to ${most}`;

const atLeastOne = (value: unknown): string | undefined =>
  count(value) ?? ((value as number) >= 1 ? undefined : 'is not at least 1');

/** `optimizer` of a gateway. */
export const OPTIMIZER: Shape = {
  maxTools: atLeastOne,
  semanticRatio: between(0, 1),
  distanceThreshold: between(0, 2),
  embeddings: optional({
    provider: oneOf('tei', 'openai'),
    url: httpUrl,
    model: nullable(string),
    headers: [{ name: headerName, value: headerValue }],
    apiKey: nullable(SECRET),
    timeoutMs: milliseconds,
    addresses: oneOf('any', 'private', 'public'),
  }),
};
