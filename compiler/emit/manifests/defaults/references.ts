import { isObject } from '#schemas';
import { changed, filled, steps } from './fill.ts';
import { canonicalizeQuantity } from './quantity.ts';

/** References to fields and resources of the pod itself, in variables and in files. */
export const references: (value: unknown) => unknown = changed({
  fieldRef: filled({ apiVersion: 'v1' }),
  resourceFieldRef: steps(filled({ divisor: '0' }), changed({ divisor: canonicalizeQuantity })),
});

const canonicalizeAmounts = (value: unknown) =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, amount]) => [name, canonicalizeQuantity(amount)]))
    : value;

/** `resources` of containers and claims. */
export const resources: (value: unknown) => unknown = changed({
  limits: canonicalizeAmounts,
  requests: canonicalizeAmounts,
});
