import type { MCPOIDCConfig, MCPTelemetryConfig } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

/** The ConfigMap's name with Lintel's prefix becomes a volume name of at most 63 characters. */
const MAX_NAME = 48;

/**
 * Checks names of ConfigMaps with certificate authorities that are mounted into a pod.
 *
 * @holds Other kinds | MCPOIDCConfig, MCPTelemetryConfig `caBundleRef` | name of at most 48 characters | LNT1013
 */
export function caBundleNames(resource: Resource): Diagnostic[] {
  switch (resource.kind) {
    case 'MCPOIDCConfig': {
      const { inline } = resource.spec as NonNullable<MCPOIDCConfig['spec']>;
      return check(resource, inline?.caBundleRef?.configMapRef?.name, ['spec', 'inline']);
    }
    case 'MCPTelemetryConfig': {
      const { openTelemetry } = resource.spec as NonNullable<MCPTelemetryConfig['spec']>;
      return check(resource, openTelemetry?.caBundleRef?.configMapRef?.name, ['spec', 'openTelemetry']);
    }
    default:
      return [];
  }
}

function check(resource: Resource, name: string | undefined, holder: Path): Diagnostic[] {
  if (name === undefined || name.length <= MAX_NAME) return [];
  const path = [...holder, 'caBundleRef', 'configMapRef', 'name'];
  const message = `the name of the ConfigMap has ${name.length} characters, at most ${MAX_NAME} are possible here`;
  return [
    diagnose(resource.document, 'LNT1013', path, message, { help: 'Give it a shorter name, such as "corporate-ca"' }),
  ];
}
