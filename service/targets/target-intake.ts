import type { Socket } from 'node:net'
import type { Clock } from '../../platform/clock.ts'
import { acknowledgementWindow } from '../media/rtmp-client.ts'

/** How often it is measured, in ms. */
export const measureEvery = 2_000
/** A server that takes nothing for this time, while media waits for it, has stalled; ms. */
export const stalledAfter = 3_000
/** A long step between acknowledgements, as after a stall, counts this much less with each that follows. */
const fading = 0.75
/** One acknowledgement can be an answer to commands. */
const leastAcknowledgements = 2
/** Less that is acknowledged says nothing: a number can stand still, or grow by bytes; bytes. */
const leastStep = acknowledgementWindow / 4
/** A server that gets this much without an acknowledgement takes it all the same: no system buffers as much; bytes. */
const mostBuffered = 16 * 1024 * 1024
const bitsPerByte = 8

/**
 * What a server takes of what is sent. The buffers of both systems hold megabytes, so that bytes which left say little
 * of a server that reads nothing: its acknowledgements do (RTMP 1.0, 5.4.3). When they come counts, not their numbers,
 * which servers count differently. Without any, what the system takes is what is known.
 */
export function createTargetIntake(
  socket: Pick<Socket, 'bytesWritten' | 'writableLength'>,
  clock: Pick<Clock, 'monotonic'>,
) {
  /** Bytes that the system has taken. */
  const sent = (): number => socket.bytesWritten - socket.writableLength
  let measured = { sent: sent(), at: clock.monotonic(), isWaiting: false }
  let takenAt = measured.at
  let acknowledgements = 0
  /** The number of the last one, and bytes acknowledged since the last measure. */
  let [number, taken] = [0, 0]
  /** What had been sent at the last acknowledgement, and after how much more the next is due. */
  let [acknowledged, window] = [measured.sent, acknowledgementWindow]
  /** All that was acknowledged; never more than was sent. What of it says nothing yet. */
  let [credited, few] = [0, 0]
  return {
    /** `count`: bytes as the server counts them, with 32 bits. */
    acknowledged(count: number) {
      const step = (count - number) >>> 0
      number = count
      // Some servers begin to count anew.
      if (acknowledgements > 0 && step <= mostBuffered) {
        const believed = Math.min(step, Math.max(0, sent() - credited))
        credited += believed
        taken += believed
        few += believed
      }
      if (acknowledgements > 0 && few < leastStep) return
      few = 0
      acknowledgements += 1
      window = Math.max(acknowledgementWindow, sent() - acknowledged, window * fading)
      acknowledged = sent()
      takenAt = clock.monotonic()
    },
    /** Call every 2 s. `untaken`: for how long nothing has been taken, in ms. */
    measure(): { readonly kbps: number; readonly untaken: number; readonly isWaiting: boolean } {
      const before = measured
      const isWaiting = socket.writableLength > 0
      measured = { sent: sent(), at: clock.monotonic(), isWaiting }
      const unacknowledged = measured.sent - acknowledged
      if (unacknowledged > mostBuffered) acknowledgements = 0
      const isAcknowledged = acknowledgements >= leastAcknowledgements
      const isDue = isAcknowledged && unacknowledged >= window
      if (!isDue && (measured.sent > before.sent || !isWaiting)) takenAt = measured.at
      const untaken = Math.round(measured.at - takenAt)
      const passed = Math.max(1, measured.at - before.at)
      // Full buffers take more only once a large part of them is free.
      const isFull = isAcknowledged && isWaiting && before.isWaiting
      const kbps = Math.round(((isFull ? taken : measured.sent - before.sent) * bitsPerByte) / passed)
      taken = 0
      // What the systems buffer meanwhile does not arrive.
      return { kbps: untaken >= stalledAfter ? 0 : kbps, untaken, isWaiting }
    },
  }
}
