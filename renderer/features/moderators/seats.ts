import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { Invitation, RevokeStep, Seat, SeatBoard } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { reading } from '../../data/task.ts'
import { useServices } from '../../data/services.ts'

/** What came of taking a seat back. */
export interface Revocation {
  readonly id: string
  readonly name: string
  readonly steps: readonly RevokeStep[]
}

/** What is typed as names of a certificate: host names and addresses, each once. */
export const namesOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,，、]+/)
      .filter((one) => one !== ''),
  ),
]
/** Whether a certificate can be made for a name: a host name or an IPv4 or IPv6 address. */
export const isHostName = (name: string): boolean =>
  name.length <= 253 && /^([a-z0-9-]+(\.[a-z0-9-]+)*|[0-9a-f:.]*:[0-9a-f:.]*)$/.test(name)
/** Whether an account can have this name. */
export const isAccid = (text: string): boolean => /^[a-z0-9_@.-]{1,32}$/.test(text)

/** Moderators on other computers: their seats, the listener that they come to, and an invitation, which is held only until it was handed over. */
export const useSeats = defineStore('seats', () => {
  const { rpc } = useServices()
  const board = shallowRef<SeatBoard | null>(null)
  const invitation = shallowRef<Invitation | null>(null)
  const revoked = shallowRef<Revocation | null>(null)
  /** As it stands now: what was left may have been done since. */
  const revocation = computed<Revocation | null>(() => {
    const last = revoked.value
    const seat = board.value?.seats.find(({ id }) => id === last?.id)
    if (!last || !board.value) return last
    // Forgotten or invited again, there is nothing to tell of it.
    if (seat?.state !== 'revoked') return null
    const { unwritten } = board.value
    const steps = last.steps.map(({ what, ok, detail }) => {
      const isLeft = what === 'kept' ? !ok && unwritten !== null : what === 'sessions' ? !ok : seat.owed.includes(what)
      return {
        what,
        ok: !isLeft,
        detail: isLeft ? (what !== 'kept' && seat.owedReason !== null ? seat.owedReason : detail) : '',
      }
    })
    return { ...last, steps }
  })
  /** What is being done: a procedure, with the seat's id where it is about one. */
  const busy = ref<string | null>(null)
  const failure = shallowRef<{ readonly at: string; readonly why: Failure } | null>(null)

  const put = (listener: SeatBoard['listener']): void => {
    if (board.value) board.value = { ...board.value, listener }
  }
  let read: Promise<unknown> | undefined
  const begin = async <T>(at: string, work: () => Promise<T>): Promise<T | undefined> => {
    busy.value = at
    failure.value = null
    try {
      return await work()
    } catch (error) {
      failure.value = { at, why: failureOf(error) }
      return undefined
    } finally {
      busy.value = null
    }
  }
  /** One thing at a time, behind a read that is under way; undefined when it failed, with its reason at the place that asked. */
  const run = async <T>(at: string, work: () => Promise<T>): Promise<T | undefined> => {
    if (at !== reading && read) await read
    if (busy.value !== null) return undefined
    const begun = begin(at, work)
    if (at === reading) read = begun
    const done = await begun
    if (at === reading) read = undefined
    return done
  }
  const listening = async (at: string, work: () => Promise<SeatBoard['listener']>): Promise<boolean> => {
    const listener = await run(at, work)
    if (listener) put(listener)
    return listener !== undefined
  }
  const inviting = async (at: string, work: () => Promise<Invitation>): Promise<boolean> => {
    const made = await run(at, work)
    if (made) {
      revoked.value = null
      invitation.value = made
    }
    return made !== undefined
  }

  return {
    board,
    listener: computed(() => board.value?.listener ?? null),
    /** Seats of a profile, those in use first. */
    seatsOf: (profileId: string): readonly Seat[] =>
      (board.value?.seats ?? [])
        .filter((seat) => seat.profileId === profileId)
        .sort((a, b) => Number(a.state === 'revoked') - Number(b.state === 'revoked')),
    /** The last invitation, until it is put away. */
    invitation,
    revocation,
    busy,
    /** Why something failed, where it was asked for. */
    failureAt: (at: string): Failure | null => (failure.value?.at === at ? failure.value.why : null),
    read: async (): Promise<void> => {
      const told = await run(reading, () => rpc.seats.board())
      if (told) board.value = told
    },
    apply: (event: AppEvent): void => {
      if (event.type !== 'seats') return
      board.value = event.board
      // What was taken back opens nothing any more, wherever that was done.
      if (event.board.seats.some(({ id, state }) => state === 'revoked' && id === invitation.value?.seat.id))
        invitation.value = null
    },
    listen: (on: boolean, open: boolean, port: number): Promise<boolean> =>
      listening('listen', () => rpc.seats.listen({ on, open, port })),
    makeCertificate: (names: readonly string[]): Promise<boolean> =>
      listening('certificate', () => rpc.seats.makeCertificate({ names: [...names] })),
    useCertificate: (cert: string, key: string): Promise<boolean> =>
      listening('certificate', () => rpc.seats.useCertificate({ cert, key })),
    invite: (profileId: string, roomid: number, accid: string, name: string): Promise<boolean> =>
      inviting('invite', () => rpc.seats.invite({ profileId, roomid, accid, name })),
    inviteAgain: (id: string): Promise<boolean> => inviting(`again ${id}`, () => rpc.seats.inviteAgain({ id })),
    /** Nothing of an invitation stays once it was handed over. */
    putAway: (): void => {
      invitation.value = null
    },
    revoke: async (seat: Seat): Promise<boolean> => {
      const done = await run(`revoke ${seat.id}`, () => rpc.seats.revoke({ id: seat.id }))
      if (!done) return false
      if (invitation.value?.seat.id === seat.id) invitation.value = null
      revoked.value = { id: seat.id, name: seat.name, steps: done.steps }
      if (board.value)
        board.value = {
          ...board.value,
          seats: board.value.seats.map((each) => (each.id === seat.id ? done.seat : each)),
        }
      return true
    },
    forget: (id: string): Promise<unknown> => run(`forget ${id}`, () => rpc.seats.forget({ id })),
  }
})
