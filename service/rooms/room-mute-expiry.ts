import { inBackground } from '../background.ts'
import { maxMute } from '../../contract/operations/limits.ts'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import type { Log } from '../log.ts'
import type { RoomContext } from './room-context.ts'
import { createSerial } from '../../platform/serial.ts'

/** Interval of clock checks while there are temporary mutes, in ms. */
const lookEvery = 10_000

/**
 * Watches temporary mutes, including earlier ones. Ends are wall-clock times, to survive a restart: a clock set forward
 * ends mutes early; if it is set back, ends are moved by as much.
 */
export function createRoomMuteExpiry(options: {
  readonly context: RoomContext
  /** Applications served by this start; mutes of others wait. */
  readonly uids: readonly number[]
  readonly log: Pick<Log, 'error' | 'warn'>
  /** Other services have the same rooms: each ends what is over, and the first one tells it. */
  readonly isShared?: boolean
}) {
  const { context, uids, log, isShared = false } = options
  const { registry, clock } = context.options
  let seen = { clock: clock.now(), monotonic: clock.monotonic() }
  let stop: (() => void) | undefined
  let closed = false
  const inTurn = createSerial()

  const mutes = () => registry.mutedForAWhile().filter(({ uid }) => uids.includes(uid))
  /** Changes all ends, except those set or lifted meanwhile. */
  const move = async (end: (until: number) => number): Promise<void> => {
    for (const { uid, roomid, accid, mutedUntil } of mutes()) {
      if (closed) return
      await context.on(uid, roomid, 404, async (room) => {
        const member = room.members.get(accid)
        const until = Math.max(1, end(mutedUntil))
        if (member?.mutedUntil === mutedUntil && until !== mutedUntil)
          await context.commit(room, { member: { ...member, mutedUntil: until } })
      })
    }
  }
  const adjustForClockChange = async (): Promise<void> => {
    const now = { clock: clock.now(), monotonic: clock.monotonic() }
    const passed = Math.round(now.monotonic - seen.monotonic)
    // The clock of one computer says nothing of mutes that others watch too.
    const back = !isShared && now.clock < seen.clock ? seen.clock + passed - now.clock : 0
    seen = now
    if (back > 0) await move((until) => until - back)
  }
  const endDue = async (): Promise<void> => {
    const now = clock.now()
    for (const { uid, roomid, accid, mutedUntil } of mutes()) {
      if (closed) return
      if (mutedUntil > now) continue
      await context.on(uid, roomid, 404, async (room) => {
        const member = room.members.get(accid)
        if (!member || member.mutedUntil === 0 || member.mutedUntil > clock.now()) return
        const { mutedBy } = member
        await context.commit(
          room,
          { member: { ...member, mutedUntil: 0, mutedBy: null } },
          mutedBy === null
            ? []
            : [
                {
                  id: roomNotices.muteForAWhileLifted,
                  operator: mutedBy,
                  clientType: 'REST',
                  target: [accid],
                  muteDuration: 0,
                  more: { expired: true, ...(member.muted === 1 && { stillMuted: true }) },
                },
              ],
        )
      })
    }
  }
  const schedule = (): void => {
    stop?.()
    stop = undefined
    if (closed) return
    const now = clock.now()
    let next = Infinity
    for (const { mutedUntil } of mutes()) next = Math.min(next, mutedUntil - now)
    // Others may set some without a word to this service.
    if (next < Infinity || isShared) stop = clock.after(Math.min(lookEvery, Math.max(1, next)), look)
  }
  const queue = (what: () => Promise<void>): Promise<void> =>
    inTurn(what).catch((error: unknown) => log.error({ err: error }, 'temporary mutes could not be checked'))
  function look(): void {
    const looked = queue(async () => {
      await adjustForClockChange()
      await endDue()
    })
    inBackground(looked.then(schedule), log, 'looking for ends of mutes')
  }

  // No mute exceeds the maximum, whatever the clock was before the start.
  const bounded = queue(() => move((until) => Math.min(until, clock.now() + maxMute * 1000)))
  inBackground(bounded.then(look), log, 'bounding the ends of mutes')
  return {
    // Nothing is queued unless needed.
    /** Call before setting a temporary mute: corrects the others if the clock was set back. */
    adjustForClockChange: (): Promise<void> =>
      clock.now() < seen.clock ? queue(adjustForClockChange) : Promise.resolve(),
    /** Call after setting a temporary mute. */
    expect: schedule,
    async close(): Promise<void> {
      closed = true
      stop?.()
      await inTurn.idle()
    },
  }
}

/** Ends temporary mutes and announces the end of announced ones, also after downtime. */
export type RoomMuteExpiry = ReturnType<typeof createRoomMuteExpiry>
