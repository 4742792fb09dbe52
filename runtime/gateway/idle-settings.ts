import type { BackendOffer } from './table.ts';

/** A setting for a tool that its backend does not have; shown in `/status`. */
export interface IdleSetting {
  readonly backend: string;
  /** `filter`: a name to advertise; `override`: the backend's own name of a tool to change. */
  readonly setting: 'filter' | 'override';
  readonly tool: string;
}

/**
 * Filters and overrides that match nothing. A misspelt name hides a tool, or leaves it as it is, without anybody noticing;
 * only here is it known what the backend really has.
 */
export function idleSettings(offers: readonly BackendOffer[]): IdleSetting[] {
  return offers
    .filter(offer => offer.available)
    .flatMap(({ plan, capabilities }) => {
      const { overrides, advertise } = plan.tools;
      const own = new Set(capabilities.tools.map(tool => tool.name as string));
      const shown = new Set(
        [...own].map(name => (Object.hasOwn(overrides, name) ? overrides[name]?.name : undefined) ?? name),
      );
      const idle = (setting: IdleSetting['setting'], names: readonly string[], known: ReadonlySet<string>) =>
        names.filter(tool => !known.has(tool)).map(tool => ({ backend: plan.name, setting, tool }));
      return [
        ...idle('filter', advertise.type === 'only' ? advertise.names : [], shown),
        ...idle('override', Object.keys(overrides), own),
      ];
    });
}
