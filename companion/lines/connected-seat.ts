/** The moderator's seat of a connection. */
export interface ConnectedSeat {
  readonly id: string
  readonly profileId: string
  readonly roomid: number
  /** The operator of everything done from here. */
  readonly accid: string
  readonly name: string
  /** Resolves when the room's channel is known. */
  readonly ready: Promise<void>
  /** The room's channel; null for none. */
  cid(): string | null
  /** Aborted when the channel changes; a new one each time. */
  moved(): AbortSignal
  did(what: string): void
}
