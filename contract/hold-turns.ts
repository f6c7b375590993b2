/** Why a picture is held: the encoder is lost, by hand, or both. */
export interface HoldReasons {
  readonly lost: boolean
  readonly byHand: boolean
  /** By hand since before any picture was sent. */
  readonly noPicture: boolean
}

/**
 * What begins or ends with a change of a hold; `heldWithoutPicture`: by hand, as after a crash; `returned`: the encoder
 * is back, and the hold by hand goes on.
 */
export type HoldTurn = 'held' | 'heldByHand' | 'heldWithoutPicture' | 'returned' | 'holdEnded'

/** A hold as it is told of; times in ms. */
export interface ToldHold {
  readonly holding: boolean
  readonly byHand: boolean
  readonly noPicture: boolean
  readonly since: number | null
  /** Set while the encoder is lost. */
  readonly until: number | null
  /** Null after the end of a push: that hold ended without a picture that goes on. */
  readonly lastHeld: number | null
}

/** What is new of a hold that is told of at `at`, and what it is from now on. */
export function holdTurns(
  before: HoldReasons | undefined,
  hold: ToldHold | null,
  at: number,
): {
  readonly now: HoldReasons | undefined
  readonly turns: readonly { readonly at: number; readonly kind: HoldTurn }[]
} {
  if (!hold?.holding)
    return { now: undefined, turns: before && hold && hold.lastHeld !== null ? [{ at, kind: 'holdEnded' }] : [] }
  const { byHand, noPicture } = hold
  const now = { lost: !byHand || (hold.until ?? null) !== null, byHand, noPicture }
  const since = hold.since ?? at
  const turns: { at: number; kind: HoldTurn }[] = []
  // What is told is the beginning of the hold, in the push before.
  if (noPicture && !before?.noPicture) turns.push({ at, kind: 'heldWithoutPicture' })
  else if (byHand && !before?.byHand) turns.push({ at: before ? at : since, kind: 'heldByHand' })
  // What is told is the beginning of the hold by hand.
  if (now.lost && !before?.lost) turns.push({ at: byHand ? at : since, kind: 'held' })
  if (before?.lost && !now.lost) turns.push({ at, kind: 'returned' })
  return { now, turns }
}
