import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { Invitation, RevokeStep, Seat, SeatBoard } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { useServices } from '../../data/services.ts'
import { reading, useTask } from '../../data/task.ts'

interface Revocation {
  readonly id: string
  readonly name: string
  readonly steps: readonly RevokeStep[]
}

/** Typed host names and addresses, each once. */
export const namesOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,，、]+/)
      .filter((one) => one !== ''),
  ),
]
/** A host name, or an IPv4 or IPv6 address. */
export const isHostName = (name: string): boolean =>
  name.length <= 253 && /^([a-z0-9-]+(\.[a-z0-9-]+)*|[0-9a-f:.]*:[0-9a-f:.]*)$/.test(name)
/** Whether an accid is valid. */
export const isAccid = (text: string): boolean => /^[a-z0-9_@.-]{1,32}$/.test(text)

/** Moderators on other computers: seats, their listener, and the current invitation. */
export const useSeats = defineStore('seats', () => {
  const { rpc } = useServices()
  const board = shallowRef<SeatBoard | null>(null)
  const invitation = shallowRef<Invitation | null>(null)
  const revoked = shallowRef<Revocation | null>(null)
  /** The current result, as remaining steps may be done since. */
  const revocation = computed<Revocation | null>(() => {
    const last = revoked.value
    const seat = board.value?.seats.find(({ id }) => id === last?.id)
    if (!last || !board.value) return last
    // Forgotten or invited again.
    if (seat?.state !== 'revoked') return null
    const { unwritten } = board.value
    const steps = last.steps.map(({ what, ok, reason }) => {
      const isLeft = what === 'kept' ? !ok && unwritten !== null : what === 'sessions' ? !ok : seat.owed.includes(what)
      return {
        what,
        ok: !isLeft,
        reason: isLeft ? ((what === 'kept' ? null : seat.owedReason) ?? reason) : null,
      }
    })
    return { ...last, steps }
  })
  const { busy, ask, failureAt } = useTask()

  const put = (listener: SeatBoard['listener']): void => {
    if (board.value) board.value = { ...board.value, listener }
  }
  const listening = async (at: string, work: () => Promise<SeatBoard['listener']>): Promise<boolean> => {
    const listener = await ask(at, work)
    if (listener) put(listener)
    return listener !== undefined
  }
  const inviting = async (at: string, work: () => Promise<Invitation>): Promise<boolean> => {
    const made = await ask(at, work)
    if (made) {
      revoked.value = null
      invitation.value = made
    }
    return made !== undefined
  }

  return {
    board,
    listener: computed(() => board.value?.listener ?? null),
    /** Seats in use first. */
    seatsOf: (profileId: string): readonly Seat[] =>
      (board.value?.seats ?? [])
        .filter((seat) => seat.profileId === profileId)
        .sort((a, b) => Number(a.state === 'revoked') - Number(b.state === 'revoked')),
    /** The last invitation, until put away. */
    invitation,
    revocation,
    /** The procedure under way, with the seat's id where it is about one. */
    busy,
    failureAt,
    read: async (): Promise<void> => {
      const told = await ask(reading, () => rpc.seats.board())
      if (told) board.value = told
    },
    apply: (event: AppEvent): void => {
      if (event.type !== 'seats') return
      board.value = event.board
      // The invitation of a revoked seat is void.
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
    inviteAgain: (id: string): Promise<boolean> => inviting(`inviteAgain ${id}`, () => rpc.seats.inviteAgain({ id })),
    putAway: (): void => {
      invitation.value = null
    },
    revoke: async (seat: Seat): Promise<boolean> => {
      const done = await ask(`revoke ${seat.id}`, () => rpc.seats.revoke({ id: seat.id }))
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
    forget: (id: string): Promise<unknown> => ask(`forget ${id}`, () => rpc.seats.forget({ id })),
  }
})
