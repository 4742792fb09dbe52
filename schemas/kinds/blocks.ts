/** Blocks that several kinds share. */
import { type TSchema, Type } from 'typebox';
import { type Form, fields, form, listMap, objectRef, oneOf } from './define.ts';

/** Go's duration syntax without a sign: one or more pairs of number and unit. */
export const DURATION: Form = form(
  '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
  'a duration such as 30s or 1h30m',
  '30s',
);

/** A duration such as `30s` or `1h30m`. */
export function duration(options: { readonly description: string; readonly default?: string }): TSchema {
  return Type.String({ ...DURATION, 'x-lintel-unit': 'duration', ...options });
}

/** One key of a Secret in the same namespace. */
export const secretKeyRef: TSchema = fields(
  'SecretKeyRef',
  {
    name: objectRef('Secret', { description: 'Name of the Secret.' }),
    key: Type.String({ description: 'Key inside the Secret.' }),
  },
  { description: 'One key of a Secret in the same namespace.' },
);

/** The field `status.observedGeneration`. */
export const observedGeneration: TSchema = Type.Optional(
  Type.Integer({ format: 'int64', description: '`metadata.generation` that was last reconciled.' }),
);

/** `status.conditions`: the standard Kubernetes condition list. */
export const conditions: TSchema = Type.Optional(
  listMap(
    fields(
      'Condition',
      {
        type: Type.String({
          description: 'CamelCase name, optionally with a domain prefix and a slash.',
          maxLength: 316,
          ...form(
            '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
            'the name of a condition',
            'Ready',
          ),
        }),
        status: oneOf(['True', 'False', 'Unknown'], { description: 'Whether the condition holds.' }),
        observedGeneration: Type.Optional(
          Type.Integer({
            format: 'int64',
            minimum: 0,
            description: '`metadata.generation` that the condition describes.',
          }),
        ),
        lastTransitionTime: Type.String({ format: 'date-time', description: 'When `status` last changed.' }),
        reason: Type.String({
          description: 'CamelCase reason of the last transition.',
          minLength: 1,
          maxLength: 1024,
          ...form('^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$', 'a word in CamelCase', 'BackendsReady'),
        }),
        message: Type.String({ description: 'Readable explanation; may be empty.', maxLength: 32768 }),
      },
      { description: 'One aspect of the current state.' },
    ),
    ['type'],
    { description: 'Standard conditions.' },
  ),
);

/** `status.configHash` of the shared configuration kinds. */
export const configHash: TSchema = Type.Optional(
  Type.String({
    description:
      'Hash of `spec`. Controllers compare it with the hash in the status of referring objects to detect a change.',
  }),
);

/** A non-negative decimal number as a string, because serialisers round floats. */
export const DECIMAL: Form = form('^([0-9]*[.])?[0-9]+$', 'a decimal number such as 0.5', '0.5');

/** A decimal number from 0 to 1, as a string. */
export const UNIT_INTERVAL: Form = form('^(0(\\.\\d+)?|1(\\.0+)?)$', 'a number from 0 to 1 such as 0.05', '0.05');

/** An absolute http or https URL. */
export const HTTP_URL: Form = form('^https?://', 'an http or https URL', 'https://mcp.example.com');

/** An absolute https URL. */
export const HTTPS_URL: Form = form('^https://', 'an https URL', 'https://auth.example.com');

/** A region of AWS. */
export const AWS_REGION: Form = form('^[a-z]{2}(-[a-z]+)+-\\d+$', 'an AWS region such as eu-central-1', 'eu-central-1');

/** One key of a ConfigMap that holds a PEM bundle of certificate authorities. */
export const caBundleRef: TSchema = fields(
  'CaBundleRef',
  {
    configMapRef: Type.Optional(
      fields(
        'ConfigMapKeyRef',
        {
          name: Type.Optional(
            objectRef('ConfigMap', {
              description: 'Name of the ConfigMap. The schema permits an empty name, the compiler does not.',
              default: '',
            }),
          ),
          key: Type.String({ description: 'Key with the PEM text. Empty: `ca.crt`.' }),
          optional: Type.Optional(
            Type.Boolean({ description: 'Whether the ConfigMap or its key may be missing when the pod starts.' }),
          ),
        },
        { description: 'The ConfigMap and key to read.' },
      ),
    ),
  },
  { description: 'Certificate authorities to trust, as PEM text in a ConfigMap of the same namespace.' },
);
