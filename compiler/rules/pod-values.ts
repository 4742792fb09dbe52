import type { EmbeddingServer, MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isObjectName } from '../source/metadata.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { parseQuantity, QUANTITY_FORM } from '../text/quantity.ts';

/** Fields of all kinds that are copied into pods; schemas allow any text there. */
interface PodValues {
  readonly resources?: MCPServerSpec['resources'];
  readonly serviceAccount?: string;
  readonly modelCache?: NonNullable<EmbeddingServer['spec']>['modelCache'];
}

const KINDS: ReadonlySet<string> = new Set(['VirtualMCPServer', 'MCPServer', 'MCPRemoteProxy', 'EmbeddingServer']);

/**
 * Values that a controller copies into pods and volumes must be valid for the API server.
 *
 * @holds VirtualMCPServer | `serviceAccount`; of other kinds also `resources`, `modelCache.size` | a name of an object; Kubernetes quantities
 *   | LNT1012
 */
export function podValues(resource: Resource): Diagnostic[] {
  if (!KINDS.has(resource.kind)) return [];
  const { resources = {}, serviceAccount = '', modelCache } = resource.spec as PodValues;
  const amounts = (['limits', 'requests'] as const).flatMap(list =>
    (['cpu', 'memory'] as const).flatMap(name =>
      checkQuantity(resource, resources[list]?.[name], ['spec', 'resources', list, name]),
    ),
  );
  return [
    ...amounts,
    ...checkQuantity(resource, modelCache?.size, ['spec', 'modelCache', 'size']),
    ...checkAccountName(resource, serviceAccount),
  ];
}

/** Empty text counts as missing. */
function checkQuantity(resource: Resource, text = '', path: Path): Diagnostic[] {
  const amount = parseQuantity(text);
  if (text === '' || (amount !== undefined && amount >= 0n)) return [];
  const message = `expected ${QUANTITY_FORM}, found ${quote(text)}`;
  return [diagnose(resource.document, 'LNT1012', path, message, { help: `Write ${QUANTITY_FORM}, such as 256Mi` })];
}

function checkAccountName(resource: Resource, name: string): Diagnostic[] {
  if (name === '' || isObjectName(name)) return [];
  const form = 'lower-case letters, digits, "-" and ".", such as "gateway"';
  const message = `${quote(name)} is not a valid name of a service account: ${form}`;
  return [diagnose(resource.document, 'LNT1012', ['spec', 'serviceAccount'], message, { help: `Write ${form}` })];
}
