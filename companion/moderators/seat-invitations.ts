import { chatrooms } from '../../contract/operations/index.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import type { OwedStep } from '../../contract/rpc/seats.ts'
import { existingAccounts } from '../client/accounts.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { digest } from './digest.ts'
import type { KeptSeats } from './kept-seats.ts'
import { type KeptSeat, maxSeats } from './seat-document.ts'

/** What an invitation hands over, once. */
export interface MadeInvitation {
  readonly seat: KeptSeat
  readonly code: string
  readonly token: string
}

/** Accounts of moderators, with kept tokens. */
export interface SeatAccounts {
  createAccount(profileId: string, call: { accid: string; name?: string }, keep: boolean): Promise<{ token: string }>
  refreshToken(profileId: string, accid: string, keep: boolean): Promise<{ token: string }>
}

/** In ms, by the wall clock, which alone goes on over restarts. */
const codeLife = 86_400_000

const hasCode = (error: unknown, ...codes: number[]): boolean =>
  error instanceof Failure && error.data.code !== null && codes.includes(error.data.code)
/** Whether the service may have done it: it did not answer. */
const isOpen = (error: unknown): boolean => !(error instanceof Failure) || error.data.code === null

/** Makes them for all seats. */
export function createSeatInvitations(ports: {
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly seats: KeptSeats
  readonly client: (profileId: string) => Promise<Client>
  readonly accounts: SeatAccounts
  readonly creator: (profileId: string, roomid: number) => Promise<string>
  /** After earlier work on the account. */
  readonly inTurn: <T>(seat: Pick<KeptSeat, 'profileId' | 'accid'>, work: () => Promise<T>) => Promise<T>
  readonly resume: () => void
  readonly admitted: (seat: KeptSeat) => Promise<void>
  readonly changed: () => void
}) {
  const { clock, seats, inTurn } = ports
  /** Orders invitations and revocations; the last revocation of each seat. */
  let asked = 0
  const revoked = new Map<string, number>()
  const fresh = new Set<string>()

  const tokenFor = async (profileId: string, accid: string, name: string): Promise<string> => {
    const found = await existingAccounts(await ports.client(profileId), [accid])
    if (found.length === 0) return (await ports.accounts.createAccount(profileId, { accid, name }, true)).token
    return (await ports.accounts.refreshToken(profileId, accid, true)).token
  }
  /** Throws if the seat was revoked since. */
  const mustStand = (id: string, turn: number): void => {
    if ((revoked.get(id) ?? 0) > turn) throw new Failure('absent', 'the seat was taken back meanwhile')
  }
  const withCode = async (id: string, token: string, turn: number): Promise<MadeInvitation> => {
    const code = ports.random(18).toString('base64url')
    mustStand(id, turn)
    const state = seats.must(id).state === 'active' ? 'active' : 'invited'
    const kept = { digest: digest(code), until: clock.now() + codeLife }
    return { seat: await seats.change(id, { state, code: kept, owed: [] }), code, token }
  }

  const admit = async (seat: KeptSeat, turn: number): Promise<MadeInvitation> => {
    const { id, profileId, roomid, accid, name } = seat
    const operator = await ports.creator(profileId, roomid)
    if (operator === accid) throw new Failure('absent', 'this is the host of the room, who needs no invitation')
    const token = await tokenFor(profileId, accid, name)
    mustStand(id, turn)
    const before = seats.find(id)
    const put = (next: KeptSeat | undefined): Promise<void> =>
      seats.save((all) => [...(next ? [next] : []), ...all.filter((each) => each.id !== id)])
    // Noted first: an interrupted invitation leaves no moderator.
    if (seat.state === 'revoked') await put({ ...seat, owed: [...new Set<OwedStep>([...seat.owed, 'role'])] })
    try {
      await (
        await ports.client(profileId)
      ).call(chatrooms.setMemberRole, { roomid, operator, target: accid, opt: roleOptions.admin, optvalue: true })
    } catch (error) {
      // 417: a moderator already.
      if (!hasCode(error, 417)) {
        if (seat.state === 'revoked' && !isOpen(error)) await put(before)
        ports.resume()
        throw error
      }
    }
    await ports.admitted(seat)
    try {
      return await withCode(id, token, turn)
    } catch (error) {
      ports.resume()
      throw error
    }
  }

  return {
    /** Cancels earlier invitations to a seat. */
    takenBack: (id: string) => revoked.set(id, ++asked),
    isFresh: (id: string): boolean => fresh.has(id),
    invite: (profileId: string, roomid: number, accid: string, name: string): Promise<MadeInvitation> => {
      const turn = ++asked
      return inTurn({ profileId, accid }, async () => {
        const there = seats
          .all()
          .find((seat) => seat.profileId === profileId && seat.roomid === roomid && seat.accid === accid)
        if (there && there.state !== 'revoked')
          throw new Failure('absent', 'this account has a seat at this room already')
        if (!there && seats.all().length >= maxSeats) throw new Failure('absent', `there are ${maxSeats} seats already`)
        const id = there?.id ?? ports.random(8).toString('hex')
        const seat: KeptSeat = {
          id,
          profileId,
          roomid,
          accid,
          name,
          state: 'revoked',
          created: clock.now(),
          code: null,
          sessions: [],
          lastAt: null,
          lastAction: null,
          address: null,
          device: null,
          owed: there?.owed ?? [],
        }
        if (there) return admit(seat, turn)
        fresh.add(id)
        try {
          return await admit(seat, turn)
        } finally {
          fresh.delete(id)
          ports.changed()
        }
      })
    },
    inviteAgain: async (id: string): Promise<MadeInvitation> => {
      const turn = ++asked
      return inTurn(seats.must(id), () => admit(seats.must(id), turn))
    },
  }
}
