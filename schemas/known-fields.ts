import type { KnownFields } from './generate/cdk8s/known-fields.ts';
import fields from './generated/cdk8s/fields.json' with { type: 'json' };

export type { KnownFields };

/** Which fields the specs of our kinds have, at every depth. */
export const KNOWN_FIELDS: KnownFields = fields;
