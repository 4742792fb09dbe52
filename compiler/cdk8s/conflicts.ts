import type { AggregationConfig } from '#schemas';
import type { AnyBackend } from './backend.ts';
import { checkProps } from './known-props.ts';

/** What happens when backends have tools with the same name. */
export type ConflictStrategy =
  | { readonly type: 'prefix'; readonly prefixFormat: string }
  | { readonly type: 'manual'; readonly prefixFormat: string }
  | { readonly type: 'priority'; readonly prefixFormat: string; readonly order: readonly string[] };

const DEFAULT_PREFIX_FORMAT = '{workload}_';

export interface PrefixProps {
  /** Prefix for the names of prompts, and of colliding tools whose backends are not in the priority order. Default: `{workload}_` */
  readonly prefixFormat?: string;
}

/**
 * Decides the names of tools that several backends have.
 *
 * @example
 * new Gateway(this, 'eng', { group, incoming, conflicts: Conflicts.priority([github, gitlab]) });
 */
export class Conflicts {
  readonly #strategy: ConflictStrategy;

  private constructor(strategy: ConflictStrategy) {
    this.#strategy = strategy;
  }

  /**
   * Prefixes every name with that of its backend.
   *
   * @param format `{workload}` stands for the name of the backend. Default: `{workload}_`
   * @throws RangeError for a format without `{workload}`: it would prefix all backends alike
   */
  static prefix(format: string = DEFAULT_PREFIX_FORMAT): Conflicts {
    return new Conflicts({ type: 'prefix', prefixFormat: checked(format) });
  }

  /**
   * Gives a name that several backends have to the first of them in the list. Names that only other backends have stay unprefixed unless two of those
   * collide.
   *
   * @throws RangeError for a format without `{workload}`
   */
  static priority(order: readonly [AnyBackend, ...AnyBackend[]], props: PrefixProps = {}): Conflicts {
    const names = [...new Set(order.map(({ name }) => name))];
    return new Conflicts({ type: 'priority', prefixFormat: checkFormat('Conflicts.priority', props), order: names });
  }

  /**
   * Names stay unprefixed; if two tools collide, `gateway.rename` has to resolve it.
   * @throws RangeError for a format without `{workload}`
   */
  static manual(props: PrefixProps = {}): Conflicts {
    return new Conflicts({ type: 'manual', prefixFormat: checkFormat('Conflicts.manual', props) });
  }

  /** For internal use: the strategy. */
  get strategy(): ConflictStrategy {
    return this.#strategy;
  }

  /** The settings in a gateway's spec. */
  get written(): Pick<AggregationConfig, 'conflictResolution' | 'conflictResolutionConfig'> {
    const strategy = this.#strategy;
    const { type, prefixFormat } = strategy;
    const config = {
      ...(type === 'prefix' || prefixFormat !== DEFAULT_PREFIX_FORMAT ? { prefixFormat } : {}),
      ...(type === 'priority' ? { priorityOrder: strategy.order } : {}),
    };
    return {
      conflictResolution: type,
      ...(Object.keys(config).length === 0 ? {} : { conflictResolutionConfig: config }),
    };
  }
}

/** Validates the prefix format that several strategies share. */
function checkFormat(what: string, props: PrefixProps): string {
  checkProps(what, props, { prefixFormat: true });
  return checked(props.prefixFormat);
}

function checked(format: string = DEFAULT_PREFIX_FORMAT): string {
  if (!format.includes('{workload}')) throw new RangeError(`the prefix ${JSON.stringify(format)} has no {workload}`);
  return format;
}
