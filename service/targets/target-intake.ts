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
/** A server that gets this much without an acknowledgement takes it all the same: no system buffers as much; bytes. */
const mostBuffered = 16 * 1024 * 1024
const bitsPerByte = 8

/**
 * What a server takes of what is sent. The buffers of both systems hold megabytes, so that bytes which left say little
 * of a server that reads nothing: its acknowledgements do (RTMP 1.0, 5.4.3). Only when they come counts, not their
 * numbers, which servers count differently. Without any, what the system takes is what is known.
 */
export function createTargetIntake(
  socket: Pick<Socket, 'bytesWritten' | 'writableLength'>,
  clock: Pick<Clock, 'monotonic'>,
) {
  /** Bytes that the system has taken. */
  const sent = (): number => socket.bytesWritten - socket.writableLength
  let measured = { sent: sent(), at: clock.monotonic() }
  let takenAt = measured.at
  let acknowledgements = 0
  /** What had been sent at the last acknowledgement, and after how much more the next is due. */
  let [acknowledged, window] = [measured.sent, acknowledgementWindow]
  return {
    acknowledged() {
      acknowledgements += 1
      window = Math.max(acknowledgementWindow, sent() - acknowledged, window * fading)
      acknowledged = sent()
      takenAt = clock.monotonic()
    },
    /** Call every 2 s. `untaken`: for how long nothing has been taken, in ms. */
    measure(): { readonly kbps: number; readonly untaken: number; readonly isWaiting: boolean } {
      const before = measured
      measured = { sent: sent(), at: clock.monotonic() }
      const unacknowledged = measured.sent - acknowledged
      if (unacknowledged > mostBuffered) acknowledgements = 0
      const isWaiting = socket.writableLength > 0
      const isDue = acknowledgements >= leastAcknowledgements && unacknowledged >= window
      if (!isDue && (measured.sent > before.sent || !isWaiting)) takenAt = measured.at
      const untaken = Math.round(measured.at - takenAt)
      const passed = Math.max(1, measured.at - before.at)
      const kbps = Math.round(((measured.sent - before.sent) * bitsPerByte) / passed)
      // What the systems buffer meanwhile does not arrive.
      return { kbps: untaken >= stalledAfter ? 0 : kbps, untaken, isWaiting }
    },
  }
}
