import { implement, ORPCError } from '@orpc/server'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { diskRefusalOf, withDiskRefusal } from '../../platform/full-disk.ts'
import { rpc } from '../../contract/rpc/index.ts'
import { Failure, reasonOf } from '../failure.ts'
import { maxCalls, type Connection, maxSeatCalls } from '../lines/connection.ts'
import type { RouterPorts } from './ports.ts'
import { procedureAt } from './procedures.ts'
import { isOfModerators, isSeatRead, mayCall } from './seat-gate.ts'
import type { SeatReads } from './seat-reads.ts'

const reasons = {
  full: 'the disk is full',
  readOnly: 'the disk can only be read',
  broken: 'the disk answers with errors',
} as const

/**
 * Prepares the contract: access and rate checks of moderators, FAILED for every fault, unforeseen ones with a log id.
 * `heard` gets secrets' values, `tryDisk` returns the error of a small write.
 */
export function implementRpc(
  { log, heard, rooms, tryDisk, diskRefused }: Pick<RouterPorts, 'log' | 'heard' | 'rooms' | 'tryDisk' | 'diskRefused'>,
  seatReads: SeatReads,
) {
  const failed = (error: unknown): Error => {
    if (error instanceof ORPCError) return error
    let failure = error
    const refusal = failure instanceof Failure ? undefined : diskRefusalOf(withDiskRefusal(failure, tryDisk))
    if (refusal) {
      log(`nothing can be kept, ${reasons[refusal]}: ${reasonOf(failure)}`)
      failure = new Failure(refusal, reasonOf(failure))
    }
    if (!(failure instanceof Failure)) {
      const id = Math.random().toString(36).slice(2, 10)
      log(`rpc fault ${id}: ${reasonOf(error)}`)
      failure = new Failure('internal', `fault ${id}, see the log`)
    }
    const { data } = failure as Failure
    if (data.kind === 'readOnly' || data.kind === 'broken') diskRefused()
    return new ORPCError('FAILED', { status: 500, message: (failure as Failure).message, data })
  }
  const callsOfSeats = createGroupPlaces(() => maxSeatCalls)
  const os = implement(rpc)
    // The first runs before input validation, the second after.
    .$config({ initialInputValidationIndex: -1 })
    .$context<{ connection: Connection }>()
    .use(async ({ context, path, next }, input) => {
      const { connection } = context
      const { seat } = connection
      await seat?.ready
      if (seat ? !mayCall(seat, path, input) : procedureAt(path)?.audience.includes('page') !== true)
        throw failed(new Failure('forbidden', `${seat ? 'a moderator' : 'a page'} cannot do this`))
      const ended = connection.calls < maxCalls && (seat ? callsOfSeats.enter(seat.id) : () => undefined)
      if (!ended)
        throw failed(
          seat
            ? new Failure('code', 'too many calls at once', { code: 416 })
            : new Failure('internal', 'too many calls at once'),
        )
      connection.calls++
      try {
        if (!seat || !isSeatRead(path)) return await next()
        return await seatReads.read(
          seat.id,
          connection.closed,
          async () => {
            if (isOfModerators(path)) await rooms.mustModerateToRead(seat.profileId, seat.roomid, seat.accid)
            return next()
          },
          ({ output }) => (JSON.stringify(output) ?? '').length,
        )
      } catch (error) {
        throw failed(error)
      } finally {
        connection.calls--
        ended()
      }
    })
    .use(async ({ context, path, next }, input) => {
      // Secrets of moderators' pages are not the app's, and must not displace known ones.
      if (context.connection.seat) return next()
      const { secrets } = procedureAt(path) ?? {}
      if (secrets?.input !== undefined) heard(secrets.input, input)
      const done = await next()
      if (secrets?.output !== undefined) heard(secrets.output, done.output)
      return done
    })
  return { os, failed }
}

/** The implemented contract. */
export type RpcImplementer = ReturnType<typeof implementRpc>['os']
