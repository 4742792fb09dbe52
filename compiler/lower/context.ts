import { type DetailsOf, diagnose } from '../check/diagnose.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { listUnresolvedHolders } from '../resolve/references.ts';
import { ConsumptionTracker, Tracked } from '../resolve/tracked.ts';
import { toFindings } from '../resolve/tracker-findings.ts';
import type { Path } from '../source/source-document.ts';

/** Everything that lowering one gateway may read, and where it reports findings. */
export class LoweringContext {
  readonly inventory: Inventory;
  readonly diagnostics: Diagnostic[] = [];
  readonly #trackers = new Map<Resource, { readonly tracker: ConsumptionTracker; readonly kind: string }>();

  constructor(inventory: Inventory) {
    this.inventory = inventory;
  }

  /**
   * The spec of a resource with tracking: each leaf of it must be read, refused or declared ignored.
   * @param kind of the spec; a server is lowered as the gateway that serves it
   */
  track<Spec extends object>(resource: Resource<Spec>, kind: string = resource.kind): Tracked<Spec> {
    const tracked = this.#trackers.get(resource) ?? { tracker: new ConsumptionTracker(), kind };
    this.#trackers.set(resource, tracked);
    return new Tracked(resource.spec, ['spec'], tracked.tracker);
  }

  report<C extends DiagnosticCode>(
    resource: Resource,
    code: C,
    path: Path,
    message: string,
    ...details: DetailsOf<C>
  ): void {
    this.diagnostics.push(diagnose(resource.document, code, path, message, ...details));
  }

  /**
   * Turns findings and unread leaves into diagnostics. Leaves next to an unresolved reference get none, because they will be read once the
   * reference is corrected.
   */
  settleLedgers(): void {
    for (const [resource, { tracker, kind }] of this.#trackers) {
      for (const holder of listUnresolvedHolders({ ...resource, kind }, this.inventory)) tracker.consume(holder);
      const found = toFindings(tracker, { spec: resource.authored ?? {} }, ['spec']);
      for (const [code, path, message, details] of found) this.report(resource, code, path, message, details);
    }
  }
}
