import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type DiagnoseDetails, diagnose } from '../resolve/diagnose.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { Ledger, Tracked, valueAt } from './tracked.ts';

/** What lowering one gateway may read and where it reports. */
export class LoweringContext {
  readonly inventory: Inventory;
  readonly diagnostics: Diagnostic[] = [];
  readonly #ledgers = new Map<Resource, Ledger>();

  constructor(inventory: Inventory) {
    this.inventory = inventory;
  }

  /** The spec of a resource, tracked: from now on each leaf of it must be read, refused or declared ignored. */
  track<Spec extends object>(resource: Resource<Spec>): Tracked<Spec> {
    let ledger = this.#ledgers.get(resource);
    if (ledger === undefined) {
      ledger = new Ledger();
      this.#ledgers.set(resource, ledger);
    }
    return new Tracked(resource.spec, ['spec'], ledger);
  }

  report(resource: Resource, code: DiagnosticCode, path: Path, message: string, details?: DiagnoseDetails): void {
    this.diagnostics.push(diagnose(resource.document, code, path, message, details));
  }

  /** Turns remarks and leaves that nothing read into diagnostics. */
  settleLedgers(): void {
    for (const [resource, ledger] of this.#ledgers) {
      for (const { kind, path, message, ...details } of ledger.remarks) {
        // Defaults that nobody wrote need no remark.
        if (valueAt({ spec: resource.written }, path) === undefined) continue;
        const field = fieldText(path);
        if (kind === 'ignored') {
          this.report(resource, 'LNT1008', path, `${field} has no effect: ${message}`, { at: 'key', ...details });
        } else {
          this.report(resource, 'LNT1009', path, `${message}: not supported yet (${field})`, { at: 'key' });
        }
      }
      for (const path of ledger.unread(resource.written ?? {}, ['spec'])) {
        const because = isEmpty(valueAt({ spec: resource.written }, path))
          ? 'it is empty'
          : 'nothing reads it in this mode';
        this.report(resource, 'LNT1008', path, `${fieldText(path)} has no effect: ${because}`);
      }
    }
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** `spec.config.backends[0].name`, as people write it. */
function fieldText(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}
