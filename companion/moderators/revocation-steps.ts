import type { ReasonOf } from '../../contract/catalogue/reasons.ts'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import type { OwedStep } from '../../contract/rpc/index.ts'
import { inBackground } from '../background.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import type { IsExtended } from '../profiles/profiles.ts'
import type { KeptSeat } from './seat-document.ts'
import { whyLeft } from './why-left.ts'
import { createBackoff, listedWait } from '../../platform/backoff.ts'

/** In ms; the last one repeats. */
const tryAgain = [2_000, 5_000, 15_000, 60_000] as const

const isSettled = (error: unknown, codes: readonly number[]): boolean =>
  error instanceof Failure &&
  (error.data.kind === 'missing' || (error.data.code !== null && codes.includes(error.data.code)))

/** Makes them; nothing is tried yet. */
export function createRevocationSteps(ports: {
  readonly clock: Clock
  readonly client: (profileId: string) => Promise<Client>
  readonly isExtended: IsExtended
  readonly accounts: { refreshToken(profileId: string, accid: string, keep: boolean): Promise<{ token: string }> }
  readonly creator: (profileId: string, roomid: number) => Promise<string>
  readonly all: () => readonly KeptSeat[]
  readonly inTurn: <T>(seat: KeptSeat, work: () => Promise<T>) => Promise<T>
  readonly keep: (id: string, owed: OwedStep[]) => Promise<void>
  /** Steps tried again are all done. */
  readonly completed: (seat: KeptSeat) => void
  readonly changed: () => void
  readonly log: (line: string) => void
}) {
  const { clock, client } = ports
  const reasons = new Map<string, ReasonOf<'revocation'>>()
  let isClosed = false

  const left = (profileId?: string): readonly KeptSeat[] =>
    ports.all().filter((seat) => {
      const isOwn = profileId === undefined || seat.profileId === profileId
      return isOwn && seat.state === 'revoked' && seat.owed.length > 0
    })
  const steps: Readonly<Record<OwedStep, (seat: KeptSeat) => Promise<unknown>>> = {
    role: async ({ profileId, roomid, accid }) =>
      (await client(profileId)).call(chatrooms.setMemberRole, {
        roomid,
        operator: await ports.creator(profileId, roomid),
        target: accid,
        opt: roleOptions.admin,
        optvalue: false,
      }),
    token: ({ profileId, accid }) => ports.accounts.refreshToken(profileId, accid, true),
    // A new token affects new log-ins only.
    link: async ({ profileId, accid }) => {
      const service = await client(profileId)
      if (ports.isExtended(profileId)) return service.call(local.endSessions, { accid })
      await service.call(accounts.block, { accid, needkick: true })
      return service.call(accounts.unblock, { accid })
    },
  }
  /** 417: no moderator any more; 404: never a member. */
  const settled: Readonly<Record<OwedStep, readonly number[]>> = { role: [417, 404], token: [], link: [] }
  const backoff = createBackoff(
    clock,
    (before) => listedWait(tryAgain, before),
    () => resume(),
  )
  const wait = (): void => {
    backoff.stop()
    if (!isClosed && left().length > 0) backoff.again()
  }
  const tryAll = async ({ id }: KeptSeat): Promise<boolean> => {
    const seat = left().find((each) => each.id === id)
    if (!seat || isClosed) return false
    const owed: OwedStep[] = []
    reasons.delete(id)
    for (const what of ['role', 'token', 'link'] as const) {
      if (!seat.owed.includes(what)) continue
      try {
        await steps[what](seat)
        // Anyone kicked while the old token is valid comes back.
        if (what === 'link' && owed.includes('token')) owed.push(what)
      } catch (error) {
        if (isSettled(error, settled[what])) continue
        owed.push(what)
        reasons.set(id, whyLeft(error))
      }
    }
    await ports.keep(id, owed)
    return owed.length === 0
  }
  function resume(profileId?: string): void {
    if (profileId !== undefined) backoff.reset()
    const again = async (seat: KeptSeat): Promise<void> => {
      if (await ports.inTurn(seat, () => tryAll(seat))) ports.completed(seat)
      ports.changed()
    }
    inBackground(Promise.all(left(profileId).map(again)).finally(wait), ports.log, 'finishing to take a seat back')
  }

  return {
    /** Tries one seat's steps, after earlier work on its account. */
    round: async (seat: KeptSeat) => {
      await ports.inTurn(seat, () => tryAll(seat))
      backoff.reset()
      wait()
    },
    /** Why steps are left; null before the first try. */
    reason: (id: string): ReasonOf<'revocation'> | null => reasons.get(id) ?? null,
    /** Tries all that are left now. */
    resume,
    close: () => {
      isClosed = true
      backoff.stop()
    },
  }
}
