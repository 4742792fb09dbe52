/** Compares the breaker with a model without tickets: random requests, ends, waits and swaps in virtual time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AttemptOutcome,
  CircuitBreaker,
  type Ticket,
} from '../../../runtime/gateway/backends/health/circuit-breaker.ts';
import { runs } from '../../support/runs.ts';

type Step =
  | { readonly type: 'send' }
  | { readonly type: 'end'; readonly which: number; readonly outcome: AttemptOutcome }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'swap'; readonly failureThreshold: number; readonly timeoutMs: number };

interface Sent {
  readonly ticket: Ticket;
  /** How often the circuit had changed when the request was sent: its end counts only if the circuit has not changed since. */
  readonly epoch: number;
  readonly isTrial: boolean;
}

/** The documented behaviour step by step, with every pending request. */
class Model {
  now = 0;
  state: 'closed' | 'open' | 'half-open' = 'closed';
  failures = 0;
  reopensAt = 0;
  openedAt = 0;
  epoch = 0;
  changes = 0;
  limits = { failureThreshold: 1, timeoutMs: 1_000 };
  underWay: Sent[] = [];

  look(): void {
    if (this.state === 'open' && this.now >= this.openedAt + this.limits.timeoutMs) this.change('half-open');
  }

  change(state: Model['state']): void {
    this.state = state;
    this.failures = 0;
    this.epoch++;
    this.changes++;
  }

  get hasTrial(): boolean {
    return this.underWay.some(({ isTrial, epoch }) => isTrial && epoch === this.epoch);
  }

  get lets(): boolean {
    return this.state === 'closed' || (this.state === 'half-open' && !this.hasTrial);
  }

  ended({ epoch }: Sent, outcome: AttemptOutcome): void {
    if (epoch !== this.epoch || this.state === 'open' || outcome === 'neither') return;
    if (outcome === 'success') {
      if (this.state === 'half-open') this.change('closed');
      this.failures = 0;
      return;
    }
    this.failures++;
    if (this.state === 'closed' && this.failures < this.limits.failureThreshold) return;
    this.openedAt = this.now;
    this.change('open');
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'send' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      which: fc.nat(),
      outcome: fc.constantFrom<AttemptOutcome>('success', 'failure', 'failure', 'failure', 'neither'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('swap' as const),
      failureThreshold: fc.integer({ min: 1, max: 4 }),
      timeoutMs: fc.integer({ min: 1_000, max: 3_000 }),
    }),
  },
);

test('an open circuit sends no request, and a half-open circuit sends one request at a time', () => {
  const seen = { open: 0, trials: 0, closedAgain: 0, refusedTrials: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), steps => {
      const model = new Model();
      const circuit = new CircuitBreaker(model.limits, { now: () => model.now, date: () => new Date(model.now) });
      let told = 0;
      circuit.listeners.add(() => told++);
      for (const one of steps) {
        const before = { state: model.state, told };
        switch (one.type) {
          case 'send': {
            model.look();
            const ticket = circuit.take();
            expect(ticket !== undefined, `${model.state} lets a request pass`).toBe(model.lets);
            if (model.state === 'half-open' && ticket === undefined) seen.refusedTrials++;
            if (ticket === undefined) break;
            const isTrial = model.state === 'half-open';
            if (isTrial) seen.trials++;
            model.underWay.push({ ticket, epoch: model.epoch, isTrial });
            break;
          }
          case 'end': {
            const [sent] = model.underWay.splice(one.which % Math.max(1, model.underWay.length), 1);
            if (sent === undefined) break;
            circuit.settle(sent.ticket, one.outcome);
            model.ended(sent, one.outcome);
            // A request counts only once.
            if (sent.isTrial) circuit.settle(sent.ticket, 'failure');
            break;
          }
          case 'wait':
            model.now += one.ms;
            break;
          case 'swap':
            model.limits = { failureThreshold: one.failureThreshold, timeoutMs: one.timeoutMs };
            circuit.configure(model.limits);
            break;
        }
        model.look();
        expect(circuit.state).toBe(model.state);
        expect(circuit.lets).toBe(model.lets);
        expect(circuit.waitMs).toBe(model.state === 'open' ? model.openedAt + model.limits.timeoutMs - model.now : 0);
        expect(circuit.lastChanged === null).toBe(model.changes === 0);
        if (before.state === 'closed' && model.state === 'open') seen.open++;
        if (before.state === 'half-open' && model.state === 'closed') seen.closedAgain++;
        const isNews = before.state !== model.state && model.state !== 'half-open';
        if (isNews) expect(told, `${before.state} → ${model.state} is told`).toBe(before.told + 1);
      }
    }),
    { numRuns: runs(2_000) },
  );
  // The random runs must reach everything that is asserted.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(runs(100));
});
