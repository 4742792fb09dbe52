import type { GatewayBundle } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import { ThrottledLog, type ThrottledLogWriter } from '../backends/health/throttled-log.ts';
import { type ItemKind, KINDS, type OfferedItems } from '../offers/offered-items.ts';
import { buildBackendTable, type ItemTable } from './table.ts';

const NOUNS: { readonly [kind in ItemKind]: string } = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

/** Logs the items of backends that clients do not get, and settings without effect: each once, when it first appears. */
export class WithheldLog {
  readonly #withheld: ThrottledLog<ItemTable['withheld'][number]>;
  /** Logs items that are withheld from the lists of single callers. */
  readonly #ofCallers: ThrottledLog<ItemTable['withheld'][number]>;
  readonly #idle: ThrottledLog<ItemTable['idle'][number]>;

  constructor(log: Logger) {
    const writer = createWithheldWriter(log);
    this.#withheld = new ThrottledLog(writer);
    this.#ofCallers = new ThrottledLog(writer);
    this.#idle = new ThrottledLog(createIdleWriter(log));
  }

  update({ withheld, moreWithheld, idle }: ItemTable): void {
    this.#withheld.update(withheld, moreWithheld);
    this.#idle.update(idle);
  }

  /** Logs the invalid items of a backend that no caller's list contained before; the table for all callers does not contain them. */
  callerListed(bundle: GatewayBundle, backend: string, items: OfferedItems): void {
    const plan = bundle.backends.find(({ name }) => name === backend);
    if (plan === undefined || KINDS.every(({ kind }) => items[kind].length === 0)) return;
    const offer = { plan, items, available: true, requiresCallerAuth: true };
    const { withheld, moreWithheld } = buildBackendTable(bundle, [offer]);
    this.#ofCallers.update(withheld, moreWithheld);
  }
}

function createWithheldWriter(log: Logger): ThrottledLogWriter<ItemTable['withheld'][number]> {
  return {
    logItem: item => {
      if (item.backend === '') {
        log.warn(item, `withheld workflow "${item.name}": ${item.detail ?? item.reason}`);
        return;
      }
      const what = `${NOUNS[item.kind]} "${item.originalName}" of backend "${item.backend}"`;
      log.warn(item, `withheld ${what}, which would be "${item.name}": ${item.detail ?? item.reason}`);
    },
    logRest: (backend, count) =>
      log.warn({ backend, count }, `withheld ${count} more of backend "${backend}": /status names some of them`),
  };
}

function createIdleWriter(log: Logger): ThrottledLogWriter<ItemTable['idle'][number]> {
  return {
    logItem: item => {
      const { backend, setting, tool } = item;
      log.warn(item, `the ${setting} "${tool}" does nothing: backend "${backend}" has no such tool`);
    },
    logRest: (backend, count) =>
      log.warn({ backend, count }, `${count} more settings for backend "${backend}" do nothing: /status lists them`),
  };
}
