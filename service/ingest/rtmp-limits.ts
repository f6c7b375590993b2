import { pushPace } from './push-pace.ts'

/** Default limits of the server; times in ms. */
export const rtmpLimits = {
  /** Connections in all, per address, and from this computer; players never take all places of encoders. */
  connections: 4400,
  perAddress: 512,
  perLoopback: 3400,
  /** The same limits for players. */
  players: 3000,
  playersPerAddress: 256,
  playersPerLoopback: 2000,
  publishers: 256,
  /** Connections that neither publish nor play, in all and per address: the oldest is replaced. */
  strangers: 1024,
  strangersPerAddress: 400,
  /** From connect to publish or play. */
  strangerPatience: 10_000,
  /** From our last message to the peer's close. */
  closingPatience: 3000,
  /** How long an encoder with a refused codec waits for its next answer. */
  codecHold: 3000,
  /** Rate of starts and configuration changes per channel; beyond it the answer is delayed. */
  pace: pushPace,
}
/** Limits of the server. */
export type RtmpLimits = Readonly<typeof rtmpLimits>
