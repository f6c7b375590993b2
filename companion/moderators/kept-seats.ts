import { Failure } from '../failure.ts'
import type { KeptSeat, SeatStore } from './seat-document.ts'

type SeatsUpdate = (seats: KeptSeat[]) => KeptSeat[]

/** The seats in force. Throws Failure. */
export type KeptSeats = ReturnType<typeof createKeptSeats>

/** Makes them of a document. */
export function createKeptSeats(document: Pick<SeatStore, 'value' | 'change' | 'hold'>, changed: () => void) {
  const all = (): KeptSeat[] => document.value().seats
  const find = (id: string): KeptSeat | undefined => all().find((seat) => seat.id === id)
  const must = (id: string): KeptSeat => {
    const seat = find(id)
    if (!seat) throw new Failure('absent', 'there is no such seat')
    return seat
  }
  const save = async (update: SeatsUpdate): Promise<void> => {
    try {
      await document.change(({ seats }) => ({ seats: update(seats) }))
    } finally {
      changed()
    }
  }
  return {
    all,
    find,
    must,
    /** In force once written. */
    save,
    change: async (id: string, change: Partial<KeptSeat>): Promise<KeptSeat> => {
      const next = { ...must(id), ...change }
      await save((seats) => seats.map((seat) => (seat.id === id ? { ...seat, ...change } : seat)))
      return next
    },
    /** Takes access away at once, even if the disk refuses. */
    hold: async (ids: readonly string[], update: SeatsUpdate) => {
      const done = document.hold(ids, ({ seats }) => ({ seats: update(seats) }))
      changed()
      await done
      changed()
    },
  }
}
