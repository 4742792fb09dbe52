/** The receiver of forges' webhooks. */
export {
  type DeliveryResult,
  MAX_BODY_BYTES,
  type Receiver,
  type ReceiverOptions,
  type SourceName,
  startReceiver,
} from './receiver.ts';
