/** The seat whose page a connection serves. */
export interface ConnectedSeat {
  readonly id: string
  readonly profileId: string
  readonly roomid: number
  /** Who acts: the operator of everything that is done from here. */
  readonly accid: string
  readonly name: string
  /** Resolves when it was looked up which channel belongs to the room. */
  readonly ready: Promise<void>
  /** Channel whose picture belongs to the room; null for none. */
  cid(): string | null
  /** Aborted when the channel becomes another one; a new one each time. */
  moved(): AbortSignal
  /** Notes what was done. */
  did(what: string): void
}
