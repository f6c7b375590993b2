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

/** What the log says of a disk that took nothing. */
const reasons = {
  full: 'the disk is full',
  readOnly: 'the disk can only be read',
  broken: 'the disk answers with errors',
} as const

/** The contract ready for its handlers: a moderator's page calls what the gate lets through and nothing else, and reads in turn, what only moderators see while its person is one, calls are counted, and every fault leaves as FAILED, an unforeseen one with a log id instead of its text. `heard` is told what pages of this computer hand in, once the contract has taken it, and what they are given, `tryDisk` answers the error of a small write into the app's folder, `diskRefused` hears of a disk that can only be read or answers with errors. */
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
    // Of the two functions below the first comes before the input is checked, the second after it.
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
      // No secret of this app comes from a moderator's page or goes there; what one says must not push out of mind those that are known.
      if (context.connection.seat) return next()
      const { secrets } = procedureAt(path) ?? {}
      if (secrets?.input !== undefined) heard(secrets.input, input)
      const done = await next()
      if (secrets?.output !== undefined) heard(secrets.output, done.output)
      return done
    })
  return { os, failed }
}

/** What handlers are made with. */
export type RpcImplementer = ReturnType<typeof implementRpc>['os']
