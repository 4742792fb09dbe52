import { type TSchema, Type } from 'typebox';
import { duration } from '../blocks.ts';
import { fields, oneOf, record } from '../define.ts';

const circuitBreaker: TSchema = fields(
  'CircuitBreakerConfig',
  {
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Switch the circuit breaker on.' })),
    failureThreshold: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 5,
        description: 'Failed health checks and calls in a row after which the circuit of a backend opens.',
      }),
    ),
    timeout: Type.Optional(
      duration({
        default: '60s',
        description: 'How long the circuit stays open before one health check or call is let through; at least 1s.',
      }),
    ),
  },
  {
    description: 'Stops calling a backend that keeps failing, and tries it again after a while.',
    rules: [
      {
        rule: "!has(self.timeout) || duration(self.timeout) >= duration('1s')",
        message: 'circuitBreaker.timeout must be 1s or longer',
      },
    ],
  },
);

const failureHandling: TSchema = fields(
  'FailureHandlingConfig',
  {
    healthCheckInterval: Type.Optional(
      duration({ default: '30s', description: 'Time between two health checks of a backend.' }),
    ),
    healthCheckTimeout: Type.Optional(
      duration({ default: '10s', description: 'Longest health check; it should be below `healthCheckInterval`.' }),
    ),
    unhealthyThreshold: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 3,
        description: 'Failed checks in a row after which a backend counts as unhealthy.',
      }),
    ),
    partialFailureMode: Type.Optional(
      oneOf(['fail', 'best_effort'], {
        default: 'fail',
        description:
          'What requests do while any backend is unavailable: with `fail`, lists, calls, reads, prompts and completions answer with an error that names it; with `best_effort`, lists show the rest and requests to other backends go on. Without `failureHandling`: `best_effort`.',
      }),
    ),
    statusReportingInterval: Type.Optional(
      duration({ default: '30s', description: 'How often health and phase are written to the status.' }),
    ),
    circuitBreaker: Type.Optional(circuitBreaker),
  },
  { description: 'What happens when backends fail.' },
);

const timeouts: TSchema = fields(
  'TimeoutConfig',
  {
    default: Type.Optional(
      duration({
        default: '30s',
        description:
          'How long a backend may leave a request without any sign of an answer. Progress that it reports counts as a sign.',
      }),
    ),
    perWorkload: Type.Optional(
      record(duration({ description: 'The same for this backend.' }), {
        description: 'Timeouts of single backends by name.',
      }),
    ),
  },
  { description: 'Timeouts of requests to backends.' },
);

export const operational: TSchema = fields(
  'OperationalConfig',
  {
    logLevel: Type.Optional(oneOf(['', 'debug'], { description: 'How much is logged. Empty means info.' })),
    timeouts: Type.Optional(timeouts),
    failureHandling: Type.Optional(failureHandling),
  },
  { description: 'Logging, timeouts and health of backends.' },
);
