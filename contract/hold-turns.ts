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
  readonly lastHeldFor: number | null
  readonly goesOn: number | null
}

/** The length of a hold that is over, in s, as it is told. */
export const heldSeconds = (milliseconds: number): number => Math.max(1, Math.round(milliseconds / 1_000))

/** What began or ended; `detail` of an end: the length of the hold in s. */
interface ToldTurn {
  readonly at: number
  readonly kind: HoldTurn
  readonly detail: string | null
  /** By how many s viewers see an end later, where they do. */
  readonly later?: number
}

/** What is new of a hold that is told of at `at`, and what it is from now on. */
export function holdTurns(
  before: HoldReasons | undefined,
  hold: ToldHold | null,
  at: number,
): {
  readonly now: HoldReasons | undefined
  readonly turns: readonly ToldTurn[]
} {
  if (!hold?.holding) {
    if (!before || !hold || hold.lastHeld === null) return { now: undefined, turns: [] }
    const length = heldSeconds(hold.lastHeldFor ?? at - hold.lastHeld)
    const later = Math.round(((hold.goesOn ?? at) - at) / 1_000)
    return { now: undefined, turns: [{ at, kind: 'holdEnded', detail: String(length), ...(later > 0 && { later }) }] }
  }
  const { byHand, noPicture } = hold
  const now = { lost: !byHand || (hold.until ?? null) !== null, byHand, noPicture }
  const since = hold.since ?? at
  const turns: ToldTurn[] = []
  // What is told is the beginning of the hold, in the push before.
  if (noPicture && !before?.noPicture) turns.push({ at, kind: 'heldWithoutPicture', detail: null })
  else if (byHand && !before?.byHand) turns.push({ at: before ? at : since, kind: 'heldByHand', detail: null })
  // What is told is the beginning of the hold by hand.
  if (now.lost && !before?.lost) turns.push({ at: byHand ? at : since, kind: 'held', detail: null })
  if (before?.lost && !now.lost) turns.push({ at, kind: 'returned', detail: null })
  return { now, turns }
}
