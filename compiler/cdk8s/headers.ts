import type { MCPServerEntrySpec } from '#schemas';
import type { CallSite, ValueOrigin } from './origins.ts';
import { SecretKey } from './values/secret.ts';

/** Fixed headers on every request to a backend: plain text, or a reference to a secret. */
export interface StaticHeaders {
  readonly [name: string]: string | SecretKey;
}

/**
 * The field `headerForward` of a workload.
 *
 * @param pointer its place in the manifest
 * @param callSite the headers as a whole
 */
export function headerForward(
  headers: StaticHeaders,
  pointer: string,
  callSite: CallSite,
): {
  readonly headerForward: NonNullable<MCPServerEntrySpec['headerForward']>;
  readonly origins: readonly ValueOrigin[];
} {
  const plain: [string, string][] = [];
  const secret: { headerName: string; valueSecretRef: { name: string; key: string } }[] = [];
  const origins: ValueOrigin[] = [{ pointer, callSite }];
  const note = (location: string, name: string) =>
    origins.push({
      pointer: `${pointer}/${location}`,
      callSite: { ...callSite, argument: [...callSite.argument, name] },
    });
  for (const [headerName, value] of Object.entries(headers)) {
    if (value instanceof SecretKey) {
      note(`addHeadersFromSecret/${secret.length}`, headerName);
      secret.push({ headerName, valueSecretRef: { name: value.name, key: value.key } });
    } else {
      note(`addPlaintextHeaders/${escaped(headerName)}`, headerName);
      plain.push([headerName, value]);
    }
  }
  return {
    headerForward: {
      ...(plain.length === 0 ? {} : { addPlaintextHeaders: Object.fromEntries(plain) }),
      ...(secret.length === 0 ? {} : { addHeadersFromSecret: secret }),
    },
    origins,
  };
}

/** Escapes a segment of a JSON Pointer (RFC 6901, section 3). */
function escaped(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
